/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_sums.h - what recorded operations come to: by program, process, file, operation and time */
#pragma once

#include "base/map.h"
#include "tracers/files/event.h"
#include "tracers/files/flow.h"
#include "tracers/files/histogram.h"
#include "tracers/files/rates.h"

#define SUMS_BYTES_MAX (64u << 20)	/* of sums; files and processes after them are "(others)" */
#define SLOWEST       10
#define SMALL_BYTES   4096		/* a request of fewer bytes is a small one */

enum part { PART_READ, PART_WRITE, PART_META, PARTS };
extern const char *const part_names[PARTS];

/* Sizes that were asked for, and durations. */
struct trace_use {
	struct histogram size[PART_META], ns[PARTS];
};

/* How processes have a file in common. */
enum sharing {
	SHARING_NONE,			/* at most one process reads or writes it */
	SHARING_READ_WHOLE,		/* all read, each nine of ten parts or more */
	SHARING_READ_PARTS,		/* all read, each a piece of its own */
	SHARING_READ,			/* all read, otherwise */
	SHARING_ONE_WRITER,		/* others read what one writes */
	SHARING_WRITE_PARTS,		/* each writer has a piece of its own */
	SHARING_WRITE_INTERLEAVED,	/* pieces that alternate, no more bytes than the file has */
	SHARING_WRITE_OVERLAPPING,	/* bytes were written more than once */
	SHARINGS,
};
extern const char *const sharing_names[SHARINGS];

struct trace_sum {
	char *name;
	uint64_t ops, meta;			/* meta: what neither reads nor writes data */
	uint64_t read, written;			/* bytes */
	int64_t ns;
	struct trace_use *use;			/* NULL in a plain table */

	/* Of files, after trace_sums_sort(). */
	size_t readers, writers;		/* processes */
	enum order reads, writes;		/* ORDER_MIXED: processes differ */
	enum sharing sharing;
};

struct trace_table {
	struct trace_sum *sum;
	size_t n, cap;
	struct map found;	/* places in .sum, by name */
	bool plain;		/* sums have no .use */
};

/* A process in a file, by their places in the tables before these are sorted. */
struct trace_place {
	size_t process, file;
	struct flow flow[PART_META];
};

struct trace_sums {
	struct trace_table by_file, by_process, by_program;
	struct trace_place *place;
	size_t n_places, cap_places;
	struct map found;			/* of .place, by both numbers */
	struct trace_use all;
	struct {
		uint64_t n, failed;
		int64_t ns, longest;
	} by_op[OPERATIONS];
	struct slow {
		enum operation op;
		char *path, *process;
		int64_t start, ns;
	} slowest[SLOWEST];	/* the slowest first; .path NULL: there are no more */
	struct rates rates;
	size_t bytes;				/* of all sums and places */
	uint64_t records, data, small, jumps, missing;
	bool results;				/* records have errno */
	bool states_losses, at_end;		/* a record does; the last one does */
	uint64_t lost, calls32;			/* as stated */
	size_t without_end;			/* files: the caller counts them */
	int64_t first, last;			/* nanoseconds of the epoch */
};

/* All zero is a valid empty one. */
void trace_sums_add(struct trace_sums *s, const struct event *e, bool has_result);
/* Call this last: it finds how files are shared, and sorts each table, the longest time first. */
void trace_sums_sort(struct trace_sums *s);
void trace_sums_free(struct trace_sums *s);
