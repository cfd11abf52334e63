/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_sums.h - what recorded operations come to: by process, by file, by operation */
#pragma once

#include "base/map.h"
#include "tracers/files/event.h"

#define SUMS_BYTES_MAX (64u << 20)	/* of sums; files and processes after them are "(others)" */
#define SLOWEST       10
#define SMALL_BYTES   4096		/* a request of fewer bytes is a small one */

struct trace_sum {
	char *name;
	uint64_t ops, meta;			/* meta: what neither reads nor writes data */
	uint64_t read, written;			/* bytes */
	int64_t ns;
	uint64_t position;			/* where the last data ended */
	bool placed;
};

struct trace_table {
	struct trace_sum *sum;
	size_t n, cap;
	struct map found;	/* places in .sum, by name */
};

struct trace_sums {
	struct trace_table by_file, by_process;
	struct trace_table places;		/* of each process in each file: "PID PATH" */
	struct {
		uint64_t n, failed;
		int64_t ns, longest;
	} by_op[OPERATIONS];
	struct slow {
		enum operation op;
		char *path, *process;
		int64_t ns;
	} slowest[SLOWEST];	/* the slowest first; .path NULL: there are no more */
	size_t bytes;				/* of all sums and places */
	uint64_t records, data, small, jumps, missing;
	bool results;				/* records have errno */
	int64_t first, last;			/* nanoseconds of the epoch */
};

void trace_sums_add(struct trace_sums *s, const struct event *e, bool has_result);
void trace_sums_sort(struct trace_sums *s);	/* files, processes: the longest time first */
void trace_sums_free(struct trace_sums *s);
