/* SPDX-License-Identifier: BSD-3-Clause */
/* worker.h - run a collector whose source can hang in a separate process */
#pragma once

#include <sys/types.h>
#include "base/listener.h"
#include "collectors/collector.h"

/* A worker process, which reads one type. Initialize with zeros and fd = -1. */
struct worker {
	pid_t pid;	/* 0 if the worker does not run */
	int fd;		/* this process's end of the socket pair, or -1 */
	/* monotonic time by which the worker must send its first reply, or 0 */
	int64_t start_deadline_ns;
	bool answer_due;	/* a reply is outstanding, but nothing waits for it any more */
	uint64_t cpu_ns;	/* CPU time that the last reply reported, 0 if there was none */
	const char *type;
	/* listener of the sampler, which is told about hangs */
	const struct listener *listener;
	struct worker_parts *parts;	/* shared memory, or NULL; see source_enter() */
	int64_t retry_ns;	/* monotonic time at which hung parts are read again */
};

/*
 * Ask the worker for a sample; start the worker if necessary. Returns 0, or -EBUSY if the previous
 * worker still hangs or this one is still starting. A reply that comes too late is discarded.
 */
int worker_ask(struct worker *w, const struct collector *c, struct source *s) MUST_CHECK;

/*
 * Wait for the reply until the monotonic clock reaches deadline_ns, and copy the sample into s.
 * Returns the result of collect(), or -ETIMEDOUT if the worker was killed because it missed the
 * deadline; worker_ask() starts another worker once the kernel has ended this one. A worker that is
 * still starting is not killed before .start_deadline_ns.
 */
int worker_answer(struct worker *w, struct source *s, int64_t deadline_ns) MUST_CHECK;

void worker_stop(struct worker *w);	/* stop the worker, without waiting for one that hangs */
void worker_free(struct worker *w);	/* stop the worker, and forget which parts hung */
