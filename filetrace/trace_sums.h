/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_sums.h - sum up recorded operations by program, process, file, operation and time */
#pragma once

#include "base/map.h"
#include "filetrace/event.h"
#include "filetrace/flow.h"
#include "filetrace/histogram.h"
#include "filetrace/rates.h"

/* limit of the memory for sums, in bytes; names beyond the limit are summed as "(others)" */
#define SUMS_BYTES_MAX (64u << 20)
#define SLOWEST       10
#define SMALL_BYTES   4096		/* a request below this many bytes counts as small */

enum part { PART_READ, PART_WRITE, PART_META, PARTS };
extern const char *const part_names[PARTS];

/* The sizes and durations of requests. */
struct trace_use {
	struct histogram size[PART_META], ns[PARTS];
};

/* How processes share a file. */
enum sharing {
	SHARING_NONE,			/* at most one process reads or writes the file */
	/* only readers; each reads at least 9/10 of the range that all of them read together */
	SHARING_READ_WHOLE,
	SHARING_READ_PARTS,		/* only readers; each reads its own piece */
	SHARING_READ,			/* only readers, whose pieces overlap */
	SHARING_ONE_WRITER,		/* a single writer, and other processes that read */
	SHARING_WRITE_PARTS,		/* several writers, each with its own piece */
	/* several writers with alternating pieces, without overlap */
	SHARING_WRITE_INTERLEAVED,
	/* several writers, which wrote some bytes more than once */
	SHARING_WRITE_OVERLAPPING,
	SHARINGS,
};
extern const char *const sharing_names[SHARINGS];

struct trace_sum {
	char *name;
	/* .ops: all operations; .meta: operations that neither read nor write data */
	uint64_t ops, meta;
	uint64_t read, written;			/* number of bytes */
	int64_t ns;
	/* sizes and durations; NULL in a table with .plain */
	struct trace_use *use;

	/* Members set by trace_sums_sort(), for files only. */
	size_t readers, writers;		/* number of processes */
	/* order of the requests; ORDER_MIXED if processes use different orders */
	enum order reads, writes;
	enum sharing sharing;
};

struct trace_table {
	struct trace_sum *sum;
	size_t n, cap;
	struct map found;	/* index in .sum by name */
	bool plain;		/* the sums have no .use */
};

/*
 * The requests of one process in one file. .process and .file are indexes into .by_process and
 * .by_file, and are valid until these tables are sorted. Processes that are first seen when the
 * sums have reached their memory limit share one entry, with .process SIZE_MAX.
 */
struct trace_place {
	size_t process, file;
	struct request_flow flow[PART_META];
};

struct trace_sums {
	struct trace_table by_file, by_process, by_program;
	struct trace_place *place;
	size_t n_places, cap_places;
	struct map found;			/* index in .place by process and file */
	struct trace_use all;
	struct {
		uint64_t n, failed;
		int64_t ns, longest;
	} by_op[OPERATIONS];
	struct slow {
		enum operation op;
		char *path, *process;
		int64_t start, ns;
	} slowest[SLOWEST];	/* slowest first; .path is NULL in unused entries */
	struct byte_rates rates;
	/* memory used by all sums and by .place, in bytes */
	size_t bytes;
	/*
	 * .records: number of operations; .data: of reads, writes and copies; .small, .jumps: of
	 * those in .data that request less than SMALL_BYTES, or that jump (see flow.h); .missing:
	 * of stat operations on a missing name
	 */
	uint64_t records, data, small, jumps, missing;
	bool results;				/* every record has a result (errno) */
	/* .states_losses: there is an OP_LOST record; .at_end: the last record is one */
	bool states_losses, at_end;
	uint64_t lost, calls32;			/* sums of all OP_LOST records */
	/*
	 * number of trace files that have OP_LOST records, but none at the end; the caller counts
	 * them
	 */
	size_t without_end;
	/* earliest start and latest end of an operation, in nanoseconds since the epoch */
	int64_t first, last;
};

/* Add a record. All zero is a valid empty struct trace_sums. */
void trace_sums_add(struct trace_sums *s, const struct event *e, bool has_result);
/* Find how files are shared, and sort each table, longest time first. Call this last. */
void trace_sums_sort(struct trace_sums *s);
void trace_sums_free(struct trace_sums *s);
