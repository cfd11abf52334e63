/* SPDX-License-Identifier: BSD-3-Clause */
/* job_values.h - what the files of one control group say of its job */
#pragma once

#include "collectors/collector.h"
#include "collectors/job_last.h"

/* A control group, and its files in the order of its table of sources. */
struct job_place {
	const char *mount, *dir;
	bool v2;
	int *fd;
};

struct job_values {
	uint64_t value[JOB_VALUES], present;
};

/* CPU times, or all but these: 0, or why the first file could not be read. */
int job_values_read(struct source *s, const struct job_place *p, bool times,
		    struct job_values *to);
