/* SPDX-License-Identifier: BSD-3-Clause */
/* job_shared.h - memory shared between the BPF program and the collector of type job */
#pragma once

#include "schema/types/job.h"

enum { JOB_SLOTS = 2048, JOB_SLOTS_TRIED = 16 };	/* JOB_SLOTS is a power of two */

/*
 * as in linux/kdev_t.h: the kernel's device number has 12 bits of major and 20 bits of minor number
 */
enum { JOB_MAJOR_SHIFT = 20 };

/* I/O counters of one block device for one cgroup. */
struct job_part {
	unsigned device;	/* major number << JOB_MAJOR_SHIFT | minor number */
	unsigned keys;		/* mask of the members of .value that were read */
	unsigned long long value[JOB_IO_KEYS];
};

/*
 * number of entries in .part of struct job_shared, for the devices of all cgroups; a power of two
 */
enum { JOB_PARTS = 4096 };

/*
 * The values of one cgroup: CPU times in ns, memory in pages. .value is indexed by the keys of type
 * job.
 */
struct job_cells {
	unsigned long long id;		/* id of the cgroup; 0: the slot is free */
	unsigned long long walk;	/* number of the last walk that found the cgroup */
	unsigned long long present;	/* mask of the keys that have a value */
	/* user and system time in ns as the kernel last showed them in cpu.stat */
	unsigned long long shown[2];
	/* index of the first device in .part of struct job_shared, and number of devices */
	unsigned first_part, parts;
	unsigned long long value[AGE];
};

enum { JOB_STATES = 64, JOB_EVENTS = 48 };

/*
 * Data to find the positions of memory.stat's values in the kernel's memory. A program cannot read
 * the kernel's own table of positions, so the collector compares all counters of one cgroup with
 * the cgroup's file.
 */
struct job_learning {
	unsigned long long id;			/* id of the compared cgroup */
	unsigned long long state[JOB_STATES];	/* state counters of memory.stat, in pages */
	unsigned long long event[JOB_EVENTS];
	unsigned shmem_after;	/* index of shmem in .state minus the index of anon */
	/* index + 1 of anon in .state, and of page faults in .event; 0: not found yet */
	unsigned anon_at, pgfault_at;
};

struct job_shared {
	/* number of the current walk over all cgroups, counted from 1 */
	unsigned long long walk;
	/* the program can flush the statistics of all controllers, and has done so */
	unsigned flushed;
	struct job_learning learning;
	struct job_cells cells[JOB_SLOTS];
	unsigned n_parts;		/* number of used entries of .part */
	struct job_part part[JOB_PARTS];
};

/* Get the index of the first slot to try for a cgroup: a hash of the cgroup's id. */
static inline unsigned job_slot_of(unsigned long long id)
{
	return (unsigned)(id * 2654435761u >> 12) & (JOB_SLOTS - 1);
}
