/* SPDX-License-Identifier: BSD-3-Clause */
/* writer.h - write the archive in a separate process, so that a hung disk blocks nobody */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "archive/store.h"

/* Initialize with zeros and fd = -1. */
struct writer {
	pid_t pid;		/* 0 if the writer does not run */
	int fd;			/* this process's end of the socket pair, or -1 */
	const struct listener *listener;	/* listener of the store, set at the start */
	/*
	 * when the writer got its present piece, in nanoseconds of CLOCK_MONOTONIC; 0: it is idle
	 */
	int64_t busy_ns;
	/* killed writers that have not ended yet; 0: none */
	pid_t killed[4];
};

/*
 * Write one piece through the writer process, starting it if needed, and wait up to 0.5 s for its
 * reply. Call this only if .busy_ns is 0. Returns 0 if the writer replied, with the result in *ret;
 * -EINPROGRESS if it is still busy (get the reply later with writer_answer()); any other -errno if
 * it could not be started, did not take the piece or died: if it died, the piece may have been
 * written.
 */
int writer_put(struct writer *w, const struct store *like, const struct store_piece *p,
	       struct stored *ret) MUST_CHECK;

/*
 * Send a piece without marks to the writer without waiting for its reply. Get the reply with
 * writer_answer(). Returns 0 or -errno.
 */
int writer_send(struct writer *w, const struct store *like, const struct store_piece *p) MUST_CHECK;

/*
 * Receive the reply to the last piece. If `wait` is set, wait until 0.5 s after the piece was sent.
 * Returns the same values as writer_put(); after an error other than -EINPROGRESS, the writer is
 * disconnected.
 */
int writer_answer(struct writer *w, bool wait, struct stored *ret) MUST_CHECK;

/* Returns true if the writer has been busy for longer than the timeout of a reply. */
bool writer_hangs(const struct writer *w);

/* Start the writer early, while this process is small. Returns 0 or -errno. */
int writer_start(struct writer *w, const struct store *like) MUST_CHECK;
/*
 * End the writer. An idle writer gets up to 0.5 s to end; a busy one is killed at once. A killed
 * writer that hangs in the kernel is reaped by a later call.
 */
void writer_stop(struct writer *w);
