/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.h - write event lines from many threads to one file, in the order of their arrival */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "filetrace/event.h"

struct trace_recorder_form {
	void (*put)(struct buf *b, const struct event *e, bool with_result);
	bool with_result;
};

/*
 * Lines wait in memory while earlier lines are written. A thread that finds no room waits for the
 * writer, so a slow disk loses nothing. A write that fails is retried every second. Until a retry
 * succeeds, lines that find no room are dropped and counted, so that a full disk does not stop the
 * traced programs.
 *
 * The output file states losses, too, as OP_LOST records: at most one per second while records are
 * lost and, if anything was lost, one at the end. A file that has OP_LOST records but does not end
 * with one is incomplete.
 */
struct trace_recorder {
	pthread_mutex_t lock;
	pthread_cond_t filled, enough, written;
	pthread_t writer;
	int fd;
	struct buf waiting;
	bool terminal, ending, failing;
	int error;			/* error of the last write (-errno), or 0 */
	/*
	 * .lines: number of lines accepted or, after the end, written; .lost: number of lines that
	 * were dropped or could not be written
	 */
	uint64_t lines, lost;
	uint64_t missed, calls32;	/* totals last given to trace_recorder_missed() */
	uint64_t stated, stated32;	/* losses that OP_LOST records have stated so far */
	/*
	 * time of the last OP_LOST record, or of the start if there was none: nanoseconds of
	 * CLOCK_MONOTONIC
	 */
	int64_t stated_at;
	const struct trace_recorder_form *form;
	/*
	 * called with -errno when writing starts to fail, and with 0 when writing works again;
	 * .lock is held, so this callback must not call functions of the recorder
	 */
	void (*failed)(int error);
};

/*
 * Start the writer thread. OP_LOST records are written in `form`, which is NULL if nothing is
 * recorded. Returns 0 or -errno.
 */
int trace_recorder_start(struct trace_recorder *r, int fd, const struct trace_recorder_form *form,
			 void (*failed)(int error)) MUST_CHECK;
/* Add a line. Call this when an operation ends, so that the file is ordered by end times. */
void trace_recorder_put(struct trace_recorder *r, struct str line);

/*
 * Set the total number of records that were lost before they reached the recorder, and of calls by
 * 32-bit programs, which are not recorded.
 */
void trace_recorder_missed(struct trace_recorder *r, uint64_t records, uint64_t calls32);

/* Write the waiting lines, unless writing fails, and stop. Returns the number of lost lines. */
uint64_t trace_recorder_end(struct trace_recorder *r);
