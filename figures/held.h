/* SPDX-License-Identifier: BSD-3-Clause */
/* held.h - GPUs that a job has and no process of it is on, from samples of type gpu_job */
#pragma once

#include "schema/record.h"

#define HELD_GPUS 32	/* of more, the first are looked at */

/*
 * Times are of samples, in microseconds. Idle is what was read: a sample without the GPU, or two
 * that are too far apart, ends the time for which it is known. Samples of one time are one.
 */
struct held_gpu {
	unsigned number;
	bool known;		/* the newest sample had it */
	int64_t before;		/* .since before the newest sample */
	int64_t since;		/* the first of the samples since which it is idle; 0: it is not */
	int64_t used;		/* the newest sample with a process; 0: there was none */
	int64_t longest, longest_from;	/* idle for so long, and since when */
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
