/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h - what the agent of this node answers, and what it costs */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "base/files.h"

/* All zero is a valid one before the first look; top_agent_free() ends it. */
struct top_agent {
	bool runs;
	bool samples;		/* the newest moment is its own */
	uint64_t pid;
	int64_t interval_us, last_us;
	uint64_t missed;
	uint64_t ticks;		/* of the clock, that it ran */
	int64_t looked_ns;	/* when they were read; 0: they were not */
	double cpus;		/* of a CPU, since the look before; NAN: not known */
	double rss;		/* bytes, likewise */
	struct top_job {
		struct str id;		/* in .text */
		int64_t since_us;
	} *job;
	size_t n, cap;
	struct buf text, read;
};

/* Asks it, and waits a second at most. root: where /proc is. */
void top_agent_look(struct top_agent *a, const char *runtime_dir, struct files *root);
void top_agent_free(struct top_agent *a);
