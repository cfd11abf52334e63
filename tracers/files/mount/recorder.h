/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.h - lines of events from many threads to one file, in the order in which they end */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

/*
 * Lines wait in memory while others are written. A thread that finds the room taken waits for the
 * writer: nothing is lost to a slow disk. Where writing fails, it is tried again each second;
 * what then finds no room is dropped and counted, so that a full disk does not stop those who work.
 */
struct recorder {
	pthread_mutex_t lock;
	pthread_cond_t filled, enough, written;
	pthread_t writer;
	int fd;
	struct buf waiting;
	bool terminal, ending, failing;
	int error;			/* the last of writing, -errno; 0: none */
	uint64_t lines, lost;
	void (*failed)(int error);	/* writing failed, or (0) goes on again */
};

int recorder_start(struct recorder *r, int fd, void (*failed)(int error)) MUST_CHECK;
void recorder_put(struct recorder *r, struct str line);

/* Writes what waits, unless that fails. The lines that were lost. */
uint64_t recorder_end(struct recorder *r);
