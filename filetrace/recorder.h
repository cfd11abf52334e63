/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.h - lines of events from many threads to one file, in the order in which they end */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "tracers/files/event.h"

struct trace_recorder_form {
	void (*put)(struct buf *b, const struct event *e, bool with_result);
	bool with_result;
};

/*
 * Lines wait in memory while others are written. A thread that finds the room taken waits for the
 * writer: nothing is lost to a slow disk. Where writing fails, it is tried again each second;
 * what then finds no room is dropped and counted, so that a full disk does not stop those who work.
 *
 * Losses stand in the file, too: as a record of OP_LOST each second in which there are some, and at
 * the end in any case, so that a file that does not end in one has no end.
 */
struct trace_recorder {
	pthread_mutex_t lock;
	pthread_cond_t filled, enough, written;
	pthread_t writer;
	int fd;
	struct buf waiting;
	bool terminal, ending, failing;
	int error;			/* the last of writing, -errno; 0: none */
	uint64_t lines, lost;		/* lost: could not be written */
	uint64_t missed, calls32;	/* as trace_recorder_missed() was told */
	uint64_t stated, stated32;	/* of all losses, as the records of them have them */
	int64_t stated_at;		/* CLOCK_MONOTONIC; at first, the start */
	const struct trace_recorder_form *form;
	void (*failed)(int error);	/* writing failed, or (0) goes on again */
};

/* form: how losses are stated; NULL: they are not, since nothing is recorded. */
int trace_recorder_start(struct trace_recorder *r, int fd, const struct trace_recorder_form *form,
		   void (*failed)(int error)) MUST_CHECK;
void trace_recorder_put(struct trace_recorder *r, struct str line);

/* So many records in all never came to trace_recorder_put(), and were calls of 32-bit programs. */
void trace_recorder_missed(struct trace_recorder *r, uint64_t records, uint64_t calls32);

/* Writes what waits, unless that fails. The lines that were lost. */
uint64_t trace_recorder_end(struct trace_recorder *r);
