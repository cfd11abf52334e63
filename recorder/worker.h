/* SPDX-License-Identifier: BSD-3-Clause */
/* worker.h - a process of its own for a collector whose source can hang */
#pragma once

#include <sys/types.h>
#include "base/listener.h"
#include "collectors/collector.h"

/* All zero but fd = -1 is a worker that does not run yet. */
struct worker {
	pid_t pid;	/* 0: none */
	int fd;		/* our end of the socket pair, or -1 */
	int64_t until_ns;	/* monotonic time until which its first answer may be late, or 0 */
	bool owes;	/* an answer that nobody waits for any more */
	uint64_t cpu_ns;	/* CPU time of its last answer, 0 without one */
	const char *type;
	const struct listener *listener;	/* the sampler's */
	struct parts *parts;	/* shared with it, or NULL; see source_enter() */
	int64_t again_ns;	/* monotonic time at which parts that hung are read again */
};

/*
 * Asks the worker for a sample, starting it if need be. 0, -EBUSY: the last one still hangs, or
 * this one is still at its start. An answer that comes too late is thrown away.
 */
int worker_ask(struct worker *w, const struct collector *c, struct source *s) MUST_CHECK;

/*
 * Waits for the answer until the monotonic clock shows deadline_ns and takes it over into s.
 * Returns the result of collect(), or -ETIMEDOUT: the worker was killed, the next worker_ask()
 * starts another as soon as the kernel has let this one go. A worker that may take longer to start
 * is let alone until then.
 */
int worker_answer(struct worker *w, struct source *s, int64_t deadline_ns) MUST_CHECK;

void worker_stop(struct worker *w);	/* does not wait for one that hangs */
void worker_free(struct worker *w);	/* the same, and forgets what hung */
