/* SPDX-License-Identifier: BSD-3-Clause */
/* rms.h - recorded operations as class RMS of a MONITOR recording: what was done to each file */
#pragma once

#include "base/map.h"
#include "tracers/files/event.h"

#define RMS_FILES 999		/* a record holds so many: those with the most operations */

/* Operations on a file within one second. All zero is a valid empty struct rms. */
struct rms_cell {
	int64_t second;
	uint32_t file;
	uint32_t n[4];		/* reads, writes, opens, closes */
	uint32_t flushes;
	uint64_t read, written;	/* bytes */
};

struct rms {
	struct rms_file {
		char *name;
		uint64_t ops;
		size_t last;	/* newest cell */
		size_t block;	/* in the recording */
	} *file;
	size_t n_files, cap_files;
	struct rms_cell *cell;
	size_t n_cells, cap_cells;
	struct map by_name;
	bool full;		/* later operations are not here */
	uint64_t lost;		/* records, as stated: the recording's comment has it */
};

void rms_add(struct rms *r, const struct event *e);

/* The recording, a moment each interval seconds. *left_out: files beyond RMS_FILES. 0 or -errno. */
int rms_write(struct rms *r, uint32_t interval, int fd, size_t *left_out) MUST_CHECK;
void rms_free(struct rms *r);
