/* SPDX-License-Identifier: BSD-3-Clause */
/* job_values.h - read a job's values from the files of one cgroup */
#pragma once

#include "collectors/collector.h"
#include "collectors/job_io.h"
#include "collectors/job_last.h"

/* A cgroup, and its files in the order of the table of sources. */
struct job_place {
	const char *mount, *dir;
	bool v2;
	int *fd;
	uint16_t *line;	/* for each source, its position in the file, see key_lines_find() */
	const struct job_values *known;	/* values that the BPF program has read already, or NULL */
	uint64_t files;	/* mask of the keys that the files had at the last reading */
	struct job_io_reading *io;	/* receives the I/O of each device, or NULL */
	uint64_t zeros;		/* I/O keys that this kernel counts: a missing line means no I/O */
};

static inline struct job_place job_place_of(struct job_last *j)
{
	return (struct job_place){ j->mount, j->dir, j->v2, j->fd, j->line, &j->group.known,
				    j->files, .zeros = UINT64_MAX };
}

/*
 * Read the CPU times, or all other values. Returns -errno if the first file could not be read, else
 * a number >= 0. The I/O is the plain sum over all devices, to be compared with a program's;
 * job_io_take() computes the I/O of the job.
 */
int job_values_read(struct source *s, const struct job_place *p, bool times,
		    struct job_values *to);
