/* SPDX-License-Identifier: BSD-3-Clause */
/* archiver.h - write record groups to the archive, or keep them in memory meanwhile */
#pragma once

#include "archive/unwritten.h"
#include "archive/store.h"
#include "archive/writer.h"

/* Callbacks that make headers, and shorten a group to its marks if memory is full. */
struct archiver_maker {
	void (*put_header)(void *arg, struct buf *b);
	/* adds only the marks of a group; may be NULL */
	void (*put_marks)(struct buf *b, struct str group);
};

/* Counts since the process started. After a reload the caller restores them. */
struct archiver_counts {
	uint64_t failed;	/* failed writes since the last archiver_take_failed() */
	int64_t removed_us;	/* time when the folder was found removed or moved away, 0: never */
};

/*
 * Every writer of archives uses this module. It begins DIR/HOST/EPOCH with a header that covers the
 * groups after it, begins another file at midnight and when the schema or the boot changes, and
 * never fills the disk past the floor. If the archive cannot be written, the newest groups wait in
 * bounded memory and losses are counted. Groups that come often are written in batches.
 */
struct archiver {
	const struct archiver_maker *maker;
	void *arg;
	bool keep;		/* keep groups in memory that cannot be written */
	bool uses_writer;		/* write through a writer process */
	bool no_wait;		/* do not wait for the writer process, see archiver_put() */
	int64_t batch_us;	/* time over which groups are batched */
	int64_t sent_us;	/* TIME of the last group handed to the writer */
	struct store store;
	struct writer writer;
	struct unwritten unwritten;
	struct stored stored;	/* outcome for the last group tried */
	struct buf header;
	int64_t header_ns;	/* monotonic time at which .header was made */
	/* a group was handed over before; from then on any failure is retried */
	bool begun;
	bool new_schema;	/* the next group needs a new header */
	bool rotate;		/* the next group begins a new file */
	bool new_file;		/* a file was begun, so the one before can be compressed */
	bool full;		/* the last group waits in memory; logged once */
	char why[128];		/* reason, if .full */
	struct archiver_counts counts;
};

/*
 * Open an archiver. All members must be zero except the ones that the caller sets: .maker, .arg,
 * .keep, .uses_writer.
 */
void archiver_open(struct archiver *a, const struct store_place *place);
void archiver_close(struct archiver *a);

/*
 * Write a group. Returns 0 if the group is in the archive or, with .keep, waits in memory (.full);
 * -ENOBUFS if memory is full of marks and the group is lost; or another -errno. With .no_wait, and
 * as long as nothing failed, groups without marks are only collected in memory. The writer gets
 * them as one batch after .batch_us, when the memory is half full, before a group with marks, or
 * from archiver_settle().
 */
int archiver_put(struct archiver *a, int64_t usec, struct str group, bool marked) MUST_CHECK;

/* Write all groups collected so far. Returns 0, or -errno and the groups stay in memory. */
int archiver_settle(struct archiver *a);

/* Returns the number of groups that wait after a failure. */
static inline size_t archiver_waiting(const struct archiver *a)
{
	return a->full || a->unwritten.mixed ? a->unwritten.n : 0;
}

/* Returns the number of writes that failed since the last call. */
static inline uint64_t archiver_take_failed(struct archiver *a)
{
	uint64_t n = a->counts.failed;
	a->counts.failed = 0;
	return n;
}
