/* SPDX-License-Identifier: BSD-3-Clause */
/* job_values.h - read a job's values from the files of one cgroup */
#pragma once

#include "collectors/collector.h"
#include "collectors/job_io.h"
#include "collectors/job_last.h"

/*
 * A cgroup of a job, and the cgroup's open files, in the order of the table of struct job_source.
 */
struct job_place {
	const char *mount, *dir;
	bool v2;
	int *fd;
	uint16_t *line;	/* where each key was found last in its file, see key_lines_find() */
	const struct job_values *known;	/* values from the BPF program, or NULL */
	uint64_t files;	/* mask of the keys that the files had when they were last read */
	struct job_io_reading *io;	/* output: the I/O of each device, or NULL */
	uint64_t zeros;	/* mask of the I/O keys whose value is 0 if the file has no line for them */
};

static inline struct job_place job_place_of(struct job_last *j)
{
	return (struct job_place){ j->mount, j->dir, j->v2, j->fd, j->line, &j->group.known,
				    j->files, .zeros = UINT64_MAX };
}

/*
 * Read the CPU times, including THROTTLED, or all other values, and add them to *to. I/O is the
 * plain sum over all devices, to be compared with the sum from the BPF program; job_io_take()
 * computes the job's I/O. Returns a number >= 0, or -errno if the first file could not be read.
 */
int job_values_read(struct source *s, const struct job_place *p, bool times,
		    struct job_values *to);
