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
	bool answer_due;	/* a late reply will arrive, and must be discarded */
	uint64_t cpu_ns;	/* CPU time that the last reply reported, 0 if there was none */
	const char *type;
	/* listener of the sampler, which is told about hangs */
	const struct listener *listener;
	struct worker_parts *parts;	/* shared memory, or NULL; see source_enter() */
	/* monotonic time at which the worker tries again to read the devices that hung */
	int64_t retry_ns;
};

/*
 * Ask the worker for a sample, starting the worker if necessary. Returns 0; -EBUSY if the previous
 * worker still hangs or this one is still starting; or another -errno if no worker can be started.
 */
int worker_ask(struct worker *w, const struct collector *c, struct source *s) MUST_CHECK;

/*
 * Wait for the reply until deadline_ns (monotonic), and copy the sample into s. Kills a worker that
 * misses the deadline; worker_ask() starts another one once the kernel has ended this one. A worker
 * that is still starting gets more time: worker_ask() kills it after .start_deadline_ns. Returns
 * the result of collect(); -ETIMEDOUT after a missed deadline; -EPROTO if the reply is invalid; or
 * another -errno if the worker has ended.
 */
int worker_answer(struct worker *w, struct source *s, int64_t deadline_ns) MUST_CHECK;

void worker_stop(struct worker *w);	/* stop the worker, and wait at most 20 ms for its end */
void worker_free(struct worker *w);	/* stop the worker, and forget which parts hung */
