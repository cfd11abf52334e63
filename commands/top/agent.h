/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h - get samples and status from this node's agent */
#pragma once

#include "base/files.h"
#include "top/moment.h"

/* State. All zero is valid before the first look; release with top_agent_free(). */
struct top_agent {
	bool runs;
	bool samples;		/* whether the latest sample came from the agent */
	uint64_t pid;
	int64_t interval_us, last_us;
	uint64_t missed;
	uint64_t ticks;		/* CPU time of the agent, in clock ticks */
	int64_t looked_ns;	/* when the ticks were read, or 0 */
	double cpus;		/* CPUs used since the previous look, NAN if unknown */
	double rss;		/* resident memory in bytes, NAN if unknown */
	struct top_job {
		struct str id;		/* job id, in .text */
		int64_t since_us;
	} *job;
	size_t n, cap;
	struct buf text, read;
	struct buf types;	/* names of the types in a sample */
	struct buf sample;	/* latest sample, as text */
	size_t at;		/* bytes of .sample that were parsed */
};

/* Ask the agent for its status, for at most one second. root is where /proc is. */
void top_agent_look(struct top_agent *a, const char *runtime_dir, struct files *root);
/*
 * Get a sample that the agent takes now, and that is not written to a file, as the moment after
 * `before`. Returns false, and leaves m alone, if no agent runs or it has no newer sample.
 */
bool top_agent_sample(struct top_agent *a, const char *runtime_dir, const struct top_moment *before,
		      struct top_moment *m);
void top_agent_free(struct top_agent *a);
