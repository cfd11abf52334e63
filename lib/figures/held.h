/* SPDX-License-Identifier: BSD-3-Clause */
/* held.h - GPUs that a job has: how busy they are, and on which no process of it is */
#pragma once

#include "schema/record.h"

#define HELD_GPUS 32	/* of more, the first are looked at */

/*
 * From samples of type gpu_job; times are of samples, in microseconds. Idle is what was read: a
 * sample without the GPU, or two that are too far apart, ends the time for which it is known.
 * Samples of one time are one.
 */
struct held_gpu {
	unsigned number;
	bool known;		/* the newest sample had it */
	int64_t before;		/* .since before the newest sample */
	int64_t since;		/* the first of the samples since which it is idle; 0: it is not */
	int64_t used;		/* the newest sample with a process; 0: there was none */
	int64_t longest;	/* idle for so long */
};

/* All zero: it is not known which GPUs the job has. */
struct held {
	unsigned n;
	struct held_gpu gpu[HELD_GPUS];
	int64_t usec;		/* of the newest sample */
};

/*
 * The GPU and the job of a row of type gpu_job: "nvidia/1/5/2@77" is MIG instance 5/2 of GPU 1, job
 * 77. No "@": *job is empty, .p NULL. False: another form.
 */
bool held_take_device(struct str device, uint64_t *gpu, struct str *job);

/* "0,1,3": of another form nothing is known. Once for a job; the same again changes nothing. */
void held_give(struct held *h, struct str gpus);
void held_take(struct held *h, const struct record *sample, struct str job);
/* The GPU that was idle for longest, or NULL; adds those that were for so long to *n. */
const struct held_gpu *held_longest(const struct held *h, double usec, uint32_t *n);

#define GPUS_KEPT 16	/* of a node with more, the first are */

/* All zero: it had no row with all of what is kept. */
struct gpu_use {
	double area;		/* percent of time that it was busy, times microseconds */
	int64_t over, last;	/* microseconds; its newest sample */
	float busy;		/* percent, in that */
	uint64_t used, total;	/* bytes of its memory: the most, and all */
};

/* How busy each GPU of the node was, by its number. */
struct gpus {
	struct gpu_use gpu[GPUS_KEPT];
};
void gpus_take(struct gpus *g, const struct record *sample);
void gpus_add(struct gpus *to, const struct gpus *more);
/*
 * False: the GPU is not the job's, or there is no such, or of a shared node it is not known; else
 * *busy is the mean, percent.
 */
bool gpu_was_used(const struct gpus *g, const struct held *given, bool shared, size_t number,
		  double *busy);
