/* SPDX-License-Identifier: BSD-3-Clause */
/* rms.h - convert recorded operations to class RMS of an OpenVMS MONITOR recording */
#pragma once

#include "base/map.h"
#include "filetrace/event.h"

/* number of files that one MONITOR record can hold; the busiest files are kept */
#define RMS_FILES 999

/* Operations on a file that ended within one second. */
struct rms_cell {
	int64_t second;
	uint32_t file;
	uint32_t n[4];		/* number of reads, writes, opens and closes */
	uint32_t flushes;
	uint64_t read, written;	/* number of bytes */
};

struct rms {
	struct rms_file {
		char *name;
		uint64_t ops;
		size_t last;	/* index of the file's newest cell */
		size_t block;	/* index of the file's block in the recording */
	} *file;
	size_t n_files, cap_files;
	struct rms_cell *cell;
	size_t n_cells, cap_cells;
	struct map by_name;
	bool full;		/* too many files or cells: some operations are missing */
	/* sum of the lost records that OP_LOST events state; shown in the recording's comment */
	uint64_t lost;
};

void rms_add(struct rms *r, const struct event *e);

/*
 * Write the recording with one set of numbers every `interval` seconds. Call this last. *left_out
 * is the number of files beyond RMS_FILES. Returns 0; -ENODATA if there are no operations; -ERANGE
 * if there are too many intervals; or another -errno.
 */
int rms_write(struct rms *r, uint32_t interval, int fd, size_t *left_out) MUST_CHECK;
void rms_free(struct rms *r);
