/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - take messages of an AMQP queue, and acknowledge them once they are processed */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* limit of messages that may be unacknowledged; further ones wait at the broker */
#define QUEUE_AHEAD 10000

/* The program that reads the queue, nodometer-xrootd-queue.c. All zero: no program runs. */
struct queue {
	const char *url, *name, *password_file, *ca_file;	/* NULL if not given */
	pid_t pid;
	int messages, counts;	/* pipes from and to the program */
	uint64_t told;		/* number of messages that the program was told to acknowledge */
};

static inline bool queue_is_used(const struct queue *q)
{
	return q->url != NULL;
}

/*
 * Start the program, before this process confines itself. Returns 0, or -errno; -ENOENT if the
 * program is not installed.
 */
int queue_start(struct queue *q);

/* Tell the program that the first n messages are processed. */
void queue_tell(struct queue *q, uint64_t n);

/* End the program, after it has acknowledged the messages that it was told to. */
void queue_end(struct queue *q);
