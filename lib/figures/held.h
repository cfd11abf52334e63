/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * held.h - GPUs allocated to a job: how busy they are, and how long they had no process of the job
 */
#pragma once

#include "schema/record.h"

#define HELD_GPUS 32	/* limit of allocated GPUs of one job on a node; further GPUs are ignored */

/*
 * How long a GPU allocated to the job was idle (had no process of the job), from samples of type
 * gpu_job. Times are times of samples, in microseconds. Only observed idle time counts: an idle
 * interval ends if a sample does not list the GPU, or if the next sample is more than an hour
 * later. Samples with the same time are merged.
 */
struct held_gpu {
	unsigned number;
	bool known;		/* the newest sample lists the GPU */
	int64_t before;		/* .since as it was before the newest sample */
	/* start of the current idle interval; 0: the GPU is in use, or not listed */
	int64_t since;
	int64_t used;		/* time of the newest sample with a process of the job; 0: none */
	int64_t longest;	/* length of the longest idle interval */
};

/* GPUs allocated to a job. All zero: unknown. */
struct held {
	unsigned n;
	struct held_gpu gpu[HELD_GPUS];
	int64_t usec;		/* time of the newest sample */
};

/*
 * Parse a device name of type gpu_job: "nvidia/1/5/2@77" means job 77 on GPU 1, MIG instance 5/2.
 * If it has no "@", sets *job to an empty string with .p NULL. Returns false if the name has
 * another form.
 */
bool held_take_device(struct str device, uint64_t *gpu, struct str *job);

/*
 * Set the GPUs allocated to the job from a list such as "0,1,3". Does nothing if the list is
 * invalid, or if an earlier list was accepted.
 */
void held_give(struct held *h, struct str gpus);
void held_take(struct held *h, const struct record *sample, struct str job);
/* Add the idle intervals of another run of the job on the same node. */
void held_add(struct held *to, const struct held *more);
/*
 * Return the GPU with the longest idle interval, or NULL if no GPU is known to be allocated. Adds
 * to *n the number of GPUs with an idle interval of `usec` microseconds or more.
 */
const struct held_gpu *held_longest(const struct held *h, double usec, uint32_t *n);

#define GPUS_KEPT 16	/* GPUs of a node with numbers from GPUS_KEPT on are ignored */

/* Use of one GPU. All zero: unknown. */
struct gpu_use {
	/* busy percentage integrated over time: percent times microseconds */
	double area;
	/* microseconds that .area covers; time of the newest sample, microseconds */
	int64_t over, last;
	float busy;		/* busy percentage in the newest sample */
	/* bytes of GPU memory: largest use in any sample, and size; size 0: both are unknown */
	uint64_t used, total;
};

/* Use of each GPU of the node. The index is the GPU's number. */
struct gpus {
	struct gpu_use gpu[GPUS_KEPT];
};
void gpus_take(struct gpus *g, const struct record *sample);
void gpus_add(struct gpus *to, const struct gpus *more);
/*
 * Set *busy to the mean busy percentage of GPU `number`, which is less than GPUS_KEPT. Returns
 * false if the GPU was not allocated to the job or was not sampled. If the allocated GPUs are
 * unknown, returns false on a shared node.
 */
bool gpu_was_used(const struct gpus *g, const struct held *given, bool shared, size_t number,
		  double *busy);
