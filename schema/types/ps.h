/* SPDX-License-Identifier: BSD-3-Clause */
/* ps.h - indexes of the keys of type ps */
#pragma once

enum { CTXT, PROCESSES, LOAD_1, LOAD_5, LOAD_15, NR_RUNNING, NR_THREADS };
