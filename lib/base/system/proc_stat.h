/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_stat.h - parse /proc/PID/stat */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/str.h"

/* Field numbers as in proc_pid_stat(5), from 1. */
enum {
	STAT_PPID = 4, STAT_FLAGS = 9, STAT_MINFLT, STAT_CMINFLT, STAT_MAJFLT, STAT_CMAJFLT,
	STAT_UTIME, STAT_STIME, STAT_CUTIME, STAT_CSTIME, STAT_PRIORITY, STAT_THREADS = 20,
	STAT_START = 22, STAT_RSS = 24, STAT_RT_PRIORITY = 40, STAT_FIELDS,
};

struct proc_stat {
	struct str name;		/* process name, borrowed from the text */
	char state;
	/* numeric fields, by field number, from 4 on; negative values become 0 */
	uint64_t field[STAT_FIELDS];
};

/* Parse the text up to field number `last`. Returns false if the text is truncated or malformed. */
bool proc_stat_take(struct str text, size_t last, struct proc_stat *ret) MUST_CHECK;
