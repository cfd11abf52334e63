/* SPDX-License-Identifier: BSD-3-Clause */
/* writer.h - a process of its own that writes the archive: a disk that hangs stops nobody else */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "archive/store.h"

/* All zero but fd = -1 is one that does not run yet. */
struct writer {
	pid_t pid;		/* 0: none */
	int fd;			/* our end of the socket pair, or -1 */
	const struct listener *listener;	/* of its store, since it was started */
	int64_t busy_ns;	/* monotonic time since which it has a piece, 0: it has none */
	pid_t killed[4];	/* writers that had not ended soon after SIGKILL; 0: none */
};

/*
 * Has a piece written as store_put() does, by the writer, which is started if need be, and waits
 * for its answer, for half a second at most. 0 and *ret; -EINPROGRESS: no answer yet, the
 * writer is still at it; or another -errno: it has died, and it is not known what it has done.
 */
int writer_put(struct writer *w, const struct store *like, const struct piece *p,
	       struct stored *ret) MUST_CHECK;

/* Has a piece without marks written and does not wait: writer_answer() has the answer. */
int writer_send(struct writer *w, const struct store *like, const struct piece *p) MUST_CHECK;

/* The answer to the last piece, waited for as above or not at all. Returns what that does. */
int writer_answer(struct writer *w, bool wait, struct stored *ret) MUST_CHECK;

/* Whether it has been at a piece for longer than an answer is waited for. */
bool writer_hangs(const struct writer *w);

/* Starts it while this process is small. 0 or -errno. */
int writer_start(struct writer *w, const struct store *like) MUST_CHECK;
/* Ends it when it is done; one that hangs is killed, and its status taken later. */
void writer_stop(struct writer *w);
