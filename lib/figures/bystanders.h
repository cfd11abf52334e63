/* SPDX-License-Identifier: BSD-3-Clause */
/* bystanders.h - find the programs outside a job that used CPU time on the job's node */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "schema/record.h"

#define BYSTANDERS_NAMED 3	/* largest number of programs reported for each node */
/* limit of processes read from one sample; further processes are ignored */
#define BYSTANDERS_MAX 65536

/* A program outside the job: all processes with the same name and user. */
struct bystander {
	char name[32];		/* name of the program; empty if the entry is unused */
	uint64_t uid;		/* effective user id */
	double cpu;		/* CPU time in seconds */
};

/* A process in a sample of type process. */
struct bystander_process {
	uint64_t hash;		/* hash of the device "pid/name" */
	double cpu;	/* CPU time in seconds since the process started */
};

/*
 * Processes in the first and in the newest sample of type process during a job. Processes of the
 * job itself are in neither, because they start after the sample at the begin mark, and end before
 * the sample at the end mark. Zeroed memory is an empty set; bystanders_free() releases it.
 */
struct bystanders {
	struct bystander_process *first;	/* sorted by .hash */
	/*
	 * processes in the newest sample, without kernel threads; .cpu counts from the first sample
	 */
	struct bystander *newest;
	size_t n_first, cap_first, n, cap;
	bool any;		/* the first sample has been read */
};

void bystanders_take(struct bystanders *p, const struct record *r);
/*
 * Set ret to the programs that used most CPU time between the two samples, largest first, and
 * discard all samples.
 */
void bystanders_end(struct bystanders *p, struct bystander ret[BYSTANDERS_NAMED]);
void bystanders_clear(struct bystanders *p);	/* Discard all samples. */
void bystanders_free(struct bystanders *p);
