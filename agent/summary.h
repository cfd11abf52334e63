/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.h - what this node did during a job, in one line, from the agent's own memory */
#pragma once

#include "agent/jobs.h"
#include "agent/sampler.h"
#include "schema/delta.h"

#define SUMMARY_MAX         400		/* bytes of the line, its newline included */
#define SUMMARY_FIGURES     30
#define SUMMARY_DEVICES_MAX 4096	/* of one figure; more of them, and it is left out */

enum summary_how {
	SUMMARY_COUNTED,	/* a counter: end less begin, summed over the devices */
	SUMMARY_PEAK,		/* a gauge: the largest sum over the devices in one sample */
	SUMMARY_MEAN,		/* a gauge: the mean of these sums */
	SUMMARY_OWN,		/* of the device that the job's id names; it counts from 0 */
	SUMMARY_OWN_PEAK,	/* of that device: the largest value */
};

/* One figure of the line. Rows of one name stand together and are added. */
struct summary_figure {
	const char *name;	/* in JSON */
	const char *type, *key;
	enum summary_how how;
	double scale;		/* one of the key's unit in seconds, bytes, joules or things */
	const char *less[2];	/* keys that are subtracted from it at the same moment */
	const char *not_device[3];	/* patterns as in fnmatch(3): left out of the sum */
};
extern const struct summary_figure summary_figures[SUMMARY_FIGURES];

/* A counter of one device, since the first of the jobs that run now began. Ticks are samples. */
struct summary_device {
	char *name;
	bool counts;		/* it is in the sum */
	uint32_t first, seen;	/* ticks with a value: the first, the last */
	uint32_t waited, bad;	/* the last at which it had gone back; lost counts */
	struct counter counter;
};

struct summary {
	uint32_t tick;
	struct summary_followed {
		size_t type, key, less[2];	/* in the registry, its metrics; SIZE_MAX: none */
		struct summary_device *device;
		size_t n;
		bool full;		/* not all devices are known */
		bool seen;		/* the newest sample had a value, */
		double moment;		/* of this sum */
	} followed[SUMMARY_FIGURES];

	size_t n;
	struct summary_job {
		char id[JOB_ID_MAX + 1];
		int64_t since_us;	/* 0: not known */
		uint32_t begin;		/* tick of its first sample, 0: that was not seen */
		bool fresh, ending;	/* the next sample is its first, its last */
		bool shared;		/* other jobs owned the node meanwhile */
		struct {
			uint64_t base;		/* the sum of the counters at its begin */
			double n;		/* the peak; the sum of a MEAN */
			uint32_t samples;	/* in it, between the first and the last */
			uint64_t own;		/* the newest value of the job's own device, */
			uint32_t own_seen;	/* its tick, 0: none, */
			bool own_bad;		/* and whether it went back */
		} figure[SUMMARY_FIGURES];
	} *job;
};

/* All zero is a valid empty one. */
void summary_free(struct summary *s);

/* The next sample is the job's first, its last. A job whose begin was not seen has an end, too. */
void summary_begin(struct summary *s, struct str id, int64_t since_us);
void summary_end(struct summary *s, struct str id);
void summary_forget(struct summary *s, struct str id);
/* These jobs own the node, as others wrote it down: what began elsewhere has no first sample. */
void summary_keep(struct summary *s, const struct jobs *jobs);

/* A sample was taken. Nothing is done where no job runs. */
void summary_take(struct summary *s, const struct sampler *sampler);

/*
 * One object of JSON without newline, less than SUMMARY_MAX bytes, of what is known of the job
 * behind its last sample; end_us is that sample's time. "complete" is false where a figure of this
 * node is left out, or lacks a part of the job: then "partial" names it.
 */
void summary_put(const struct summary *s, struct str id, const char *host, int64_t end_us,
		 struct buf *b);
