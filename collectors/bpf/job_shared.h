/* SPDX-License-Identifier: BSD-3-Clause */
/* job_shared.h - what the program in the kernel and the collector of type job both see */
#pragma once

#include "schema/types/job.h"

enum { JOB_SLOTS = 2048, JOB_SLOTS_TRIED = 16 };	/* a power of two */

/* CPU times in ns, memory in pages; .value is as the enumeration of type job's keys has it. */
struct job_cells {
	unsigned long long id;		/* of the control group; 0: the slot is free */
	unsigned long long walk;	/* the newest one that saw it */
	unsigned long long present;	/* which of .value */
	unsigned long long shown[2];	/* user and system, as the file showed them last */
	unsigned long long value[AGE];
};

enum { JOB_STATES = 64, JOB_EVENTS = 48 };

/*
 * Where the kernel keeps what memory.stat shows follows from a table of its own that nobody can
 * read: of one group the collector compares all numbers with the file, and finds out.
 */
struct job_learning {
	unsigned long long id;			/* of that group */
	unsigned long long state[JOB_STATES];	/* pages */
	unsigned long long event[JOB_EVENTS];
	unsigned shmem_after;			/* so far behind the place of anon */
	unsigned anon_at, pgfault_at;	/* the places that were found, + 1; 0: none yet */
};

struct job_shared {
	unsigned long long walk;	/* the number of this one, from 1; the collector sets it */
	unsigned flushed;		/* by the program, for all controllers */
	struct job_learning learning;
	struct job_cells cells[JOB_SLOTS];
};

/* The slot in which a group is looked for first: ids follow each other. */
static inline unsigned job_slot_of(unsigned long long id)
{
	return (unsigned)(id * 2654435761u >> 12) & (JOB_SLOTS - 1);
}
