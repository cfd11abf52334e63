/* SPDX-License-Identifier: BSD-3-Clause */
/* exit_status.h - exit statuses of commands */
#pragma once

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_WAITS = 3 };
