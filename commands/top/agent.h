/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h - answers and samples of this node's agent, and its cost */
#pragma once

#include "base/files.h"
#include "top/moment.h"

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
	struct buf types;	/* names of types that a sample has */
	struct buf sample;	/* the newest sample, as text */
	size_t at;		/* bytes of .sample that were read */
};

/* Asks it, and waits a second at most. root: where /proc is. */
void top_agent_look(struct top_agent *a, const char *runtime_dir, struct files *root);
/*
 * The agent's sample of now, which no file has, as the moment after before. False, and m is as it
 * was: no agent runs, or it has none that is newer.
 */
bool top_agent_sample(struct top_agent *a, const char *runtime_dir, const struct top_moment *before,
		      struct top_moment *m);
void top_agent_free(struct top_agent *a);
