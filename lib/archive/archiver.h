/* SPDX-License-Identifier: BSD-3-Clause */
/* archiver.h - write record groups to the archive, or keep them in memory for later */
#pragma once

#include "archive/unwritten.h"
#include "archive/store.h"
#include "archive/writer.h"

/* Callbacks that make a header, and that reduce a record to its marks when memory is full. */
struct archiver_maker {
	void (*put_header)(void *arg, struct buf *b);
	/* append only the marks of a record; may be NULL */
	void (*put_marks)(struct buf *b, struct str group);
};

/* Counters since the process started. The caller keeps them when it reopens the archiver. */
struct archiver_counts {
	uint64_t failed;	/* writes that failed since the last archiver_take_failed() */
	/*
	 * when the archive's folder was found to be removed or moved away, in us since 1970; 0:
	 * never
	 */
	int64_t removed_us;
};

/*
 * The state of a program that writes an archive. A file DIR/HOST/EPOCH begins with a header, which
 * has the schema of its records. A new file is begun at midnight, and when the schema or the boot
 * changes. free-floor bytes of the file system are kept free. If the archive cannot be written, the
 * newest records wait in memory, which is limited, and lost records are counted. If records come
 * often, they are written in batches.
 */
struct archiver {
	const struct archiver_maker *maker;
	void *arg;
	bool keep;		/* if records cannot be written, keep them in memory */
	bool uses_writer;		/* write through a writer process */
	bool no_wait;		/* do not wait for the writer process, see archiver_put() */
	int64_t batch_us;	/* us; longest time that a record waits for a batch */
	int64_t sent_us;	/* TIME of the last record that was given to the writer process */
	struct store store;
	struct writer writer;
	struct unwritten unwritten;
	struct stored stored;	/* result of the last write */
	struct buf header;
	int64_t header_ns;	/* when .header was made, in nanoseconds of CLOCK_MONOTONIC */
	/* a write was tried before: from now on every error is retried, see archiver_may_keep() */
	bool begun;
	bool new_schema;	/* the next record needs a new header */
	bool rotate;		/* the next record begins a new file */
	bool new_file;		/* a new file was begun, so the previous one can be compressed */
	/* the last record could not be written and waits in memory */
	bool full;
	char why[128];		/* why the last record waits, if .full */
	/* number of records that had to wait and were written since, but were not reported yet */
	size_t n_waited;
	struct archiver_counts counts;
};

/*
 * Open an archiver. The caller sets .maker, .arg, .keep and .uses_writer; all other members must be
 * zero.
 */
void archiver_open(struct archiver *a, const struct store_place *place);
void archiver_close(struct archiver *a);

/*
 * Write a record; `group` begins with the newline of a blank line. Returns 0 if the record was
 * written or, with .keep, waits in memory because it could not be written (.full is set); -ENOBUFS
 * if the record is lost because memory has no room for it; or another -errno if the record was not
 * written and is not kept.
 *
 * With .no_wait and .uses_writer, a record without marks is only added to a batch in memory. The
 * writer process gets the batch after .batch_us, when memory is half full, before a record with
 * marks, or by archiver_settle(). After a failed write, each record is written at once until a
 * write succeeds.
 */
int archiver_put(struct archiver *a, int64_t usec, struct str group, bool marked) MUST_CHECK;

/* Write all records in memory. Returns 0, or -errno if they stay in memory. */
int archiver_settle(struct archiver *a);

/* Returns the number of records in memory that could not be written. */
static inline size_t archiver_waiting(const struct archiver *a)
{
	return a->full || a->unwritten.mixed ? a->unwritten.n : 0;
}

/* Returns the number of failed writes since the last call. */
static inline uint64_t archiver_take_failed(struct archiver *a)
{
	uint64_t n = a->counts.failed;
	a->counts.failed = 0;
	return n;
}
