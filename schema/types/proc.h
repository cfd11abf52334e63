/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.h - the shape of type proc */
#pragma once

enum { UID = 0, VM_SIZE = 2, PROC_KEYS = 13 };
