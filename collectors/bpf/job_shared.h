/* SPDX-License-Identifier: BSD-3-Clause */
/* job_shared.h - memory shared between the BPF program and the collector of type job */
#pragma once

#include "schema/types/job.h"

enum { JOB_SLOTS = 2048, JOB_SLOTS_TRIED = 16 };	/* a power of two */

enum { JOB_MAJOR_SHIFT = 20 };	/* linux/kdev_t.h: 12 bits of major number, 20 of minor */

/* Counters of one block device for a control group. */
struct job_part {
	unsigned device;	/* major number << JOB_MAJOR_SHIFT | minor number */
	unsigned keys;		/* mask of the values that were read */
	unsigned long long value[JOB_IO_KEYS];
};

enum { JOB_PARTS = 4096 };	/* for all groups of a walk; a power of two */

/*
 * A slot for one control group. CPU times are in ns, memory in pages; .value is indexed by type
 * job's keys.
 */
struct job_cells {
	unsigned long long id;		/* id of the control group; 0: the slot is free */
	unsigned long long walk;	/* number of the newest pass that found the group */
	unsigned long long present;	/* mask of the values read */
	unsigned long long shown[2];	/* user and system time as last shown by the file */
	unsigned first_part, parts;	/* the group's devices in .part; I/O is not in .value */
	unsigned long long value[AGE];
};

enum { JOB_STATES = 64, JOB_EVENTS = 48 };

/*
 * Data to find out where the kernel keeps the values of memory.stat. The kernel's own table cannot
 * be read, so the collector compares all counters of one group with the file.
 */
struct job_learning {
	unsigned long long id;			/* id of the compared group */
	unsigned long long state[JOB_STATES];	/* pages */
	unsigned long long event[JOB_EVENTS];
	unsigned shmem_after;			/* distance of shmem from anon */
	unsigned anon_at, pgfault_at;	/* index + 1 in .state and .event; 0: not found yet */
};

struct job_shared {
	/* number of the current walk, from 1, set by the collector */
	unsigned long long walk;
	unsigned flushed;		/* the program has flushed all controllers */
	struct job_learning learning;
	struct job_cells cells[JOB_SLOTS];
	unsigned n_parts;		/* used entries of .part in this walk */
	struct job_part part[JOB_PARTS];
};

/* Get the first slot to try for a group. Ids of groups are consecutive numbers. */
static inline unsigned job_slot_of(unsigned long long id)
{
	return (unsigned)(id * 2654435761u >> 12) & (JOB_SLOTS - 1);
}
