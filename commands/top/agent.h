/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h - get samples and status from this node's agent */
#pragma once

#include "base/files.h"
#include "top/moment.h"

/* The agent and its latest answers. All zero is valid; release with top_agent_free(). */
struct top_agent {
	bool runs;
	bool samples;		/* whether the latest sample came from the agent */
	uint64_t pid;
	int64_t interval_us, last_us;
	uint64_t missed;
	uint64_t ticks;		/* CPU time of the agent, in clock ticks */
	int64_t looked_ns;	/* monotonic time at which .ticks was read, or 0 */
	/* CPU time of the agent since the previous look, in CPUs; NAN if unknown */
	double cpus;
	double rss;		/* resident memory in bytes, NAN if unknown */
	struct top_job {
		struct str id;		/* job id, which points into .text */
		int64_t since_us;
	} *job;
	size_t n, cap;
	struct buf text, read;
	struct buf types;	/* names of the types in a sample */
	struct buf sample;	/* latest sample, as text */
	size_t at;		/* number of bytes of .sample that the parser has read */
};

/*
 * Ask the agent for its status, and wait up to one second for the reply. `root` is the directory
 * that contains /proc.
 */
void top_agent_look(struct top_agent *a, const char *runtime_dir, struct files *root);
/*
 * Let the agent take a sample without writing it to a file, and store its values in *m; `before` is
 * the previous moment. Returns false, and does not change *m, if there is no agent or no sample
 * newer than `before`.
 */
bool top_agent_sample(struct top_agent *a, const char *runtime_dir, const struct top_moment *before,
		      struct top_moment *m);
void top_agent_free(struct top_agent *a);
