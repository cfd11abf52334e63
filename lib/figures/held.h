/* SPDX-License-Identifier: BSD-3-Clause */
/* held.h - GPUs of a job: how busy they are, and which have no process of the job */
#pragma once

#include "schema/record.h"

#define HELD_GPUS 32	/* GPUs followed for one job on a node; further GPUs are ignored */

/*
 * A GPU of the job, from samples of type gpu_job. Times are sample times in microseconds. Only
 * observed idle time counts: a sample without the GPU, or two samples too far apart, end the
 * interval. Samples with the same time are merged.
 */
struct held_gpu {
	unsigned number;
	bool known;		/* the newest sample contains the GPU */
	int64_t before;		/* .since before the newest sample */
	int64_t since;		/* first sample of the current idle interval; 0: not idle */
	int64_t used;		/* newest sample with a process of the job; 0: none */
	int64_t longest;	/* longest idle interval */
};

/* All zero: the job's GPUs are not known. */
struct held {
	unsigned n;
	struct held_gpu gpu[HELD_GPUS];
	int64_t usec;		/* time of the newest sample */
};

/*
 * Parse the device of a row of type gpu_job into the GPU's number and the job: "nvidia/1/5/2@77" is
 * MIG instance 5/2 of GPU 1, job 77. Without "@", *job is empty and its .p NULL. Returns false if
 * the device has another form.
 */
bool held_take_device(struct str device, uint64_t *gpu, struct str *job);

/*
 * Set the job's GPUs from a list such as "0,1,3". A list of another form is ignored; so is each
 * call after a list was accepted.
 */
void held_give(struct held *h, struct str gpus);
void held_take(struct held *h, const struct record *sample, struct str job);
/*
 * Find the GPU that was idle longest; NULL if there is none. Adds the number of GPUs that were idle
 * for at least usec to *n.
 */
const struct held_gpu *held_longest(const struct held *h, double usec, uint32_t *n);

#define GPUS_KEPT 16	/* GPUs kept for one node; further GPUs are ignored */

/* Use of one GPU. All zero: no row had all the keys. */
struct gpu_use {
	/* busy percentage integrated over time: percent times microseconds */
	double area;
	int64_t over, last;	/* microseconds covered by .area; time of the newest sample */
	float busy;		/* percent in the newest sample */
	uint64_t used, total;	/* bytes of GPU memory: largest use, and size */
};

/* Use of each GPU of the node, by number. */
struct gpus {
	struct gpu_use gpu[GPUS_KEPT];
};
void gpus_take(struct gpus *g, const struct record *sample);
void gpus_add(struct gpus *to, const struct gpus *more);
/*
 * Compute the mean busy percentage of a GPU. Returns false if the GPU is not the job's or does not
 * exist, or if the node was shared and the job's GPUs are not known.
 */
bool gpu_was_used(const struct gpus *g, const struct held *given, bool shared, size_t number,
		  double *busy);
