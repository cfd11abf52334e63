/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - take messages of an AMQP queue, and acknowledge them once they are processed */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* maximum number of unacknowledged messages; more messages wait at the broker */
#define QUEUE_AHEAD 10000

/* The program nodometer-xrootd-queue, which reads the queue. All zero: it does not run. */
struct queue {
	const char *url, *name, *password_file, *ca_file;	/* NULL if not given */
	pid_t pid;
	/* .messages: pipe with messages from the program; .counts: pipe for numbers to it */
	int messages, counts;
	/* last number of processed messages written to the program */
	uint64_t acknowledged;
};

static inline bool queue_is_used(const struct queue *q)
{
	return q->url != NULL;
}

/*
 * Start the program; call this before this process is confined. Returns 0, or -errno; -ENOENT if
 * the program is not installed.
 */
int queue_start(struct queue *q);

/*
 * Tell the program to acknowledge the first n messages since its start, because they are processed.
 * Does nothing if the pipe to the program is full, so call this again later.
 */
void queue_tell(struct queue *q, uint64_t n);

/*
 * End the program once it has acknowledged the messages of all calls of queue_tell(). Kill it after
 * 5 seconds.
 */
void queue_end(struct queue *q);
