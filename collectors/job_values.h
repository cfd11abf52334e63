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
	uint16_t *line;		/* for each source: see key_lines_find() */
	const struct job_values *known;	/* values that need not be read, or NULL */
	uint64_t files;			/* keys that the files had when they were read */
};

static inline struct job_place job_place_of(struct job_last *j)
{
	return (struct job_place){ j->mount, j->dir, j->v2, j->fd, j->line, &j->group.known,
				    j->files };
}

/* CPU times, or all but these: not negative, or why the first file could not be read. */
int job_values_read(struct source *s, const struct job_place *p, bool times,
		    struct job_values *to);
