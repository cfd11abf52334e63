/* SPDX-License-Identifier: BSD-3-Clause */
/* job_io.h - a job's disk I/O, from the counters of each block device for the job's cgroup */
#pragma once

#include "collectors/bpf/job_shared.h"
#include "collectors/part_sums.h"
#include "collectors/source.h"

/*
 * The I/O counters of one cgroup: an entry for each block device. The array is refilled for the
 * next cgroup, which saves allocations.
 */
struct job_io_reading {
	struct job_part *part;
	size_t n, cap;
	bool is_full;		/* more than JOB_IO_DEVICES_MAX devices: the sum is unknown */
};
#define JOB_IO_DEVICES_MAX 4096

/*
 * The sums to which a block device contributes, see job_io_take(). A device may use other devices:
 * md uses disks, for example.
 */
enum {
	DISK_LOWEST,	/* devices that use no other device, such as disks */
	DISK_HIGHEST,	/* devices that no other device uses, such as md */
	/* loop, drbd and zvol devices, which may use unknown disks */
	DISK_GUEST,
	DISK_PLACES,
};

/*
 * For each block device, the sums that it contributes to. All zero is valid; job_disks_free()
 * releases it.
 */
struct job_disks {
	struct job_disk {
		unsigned device;	/* major and minor number, see struct job_part */
		bool is_known;		/* .places is valid until the next rescan */
		unsigned places;	/* mask of 1 << DISK_...: the sums to add to */
	} *disk;
	size_t n, cap;
};

/* A job's I/O so far. All zero is a valid new state; job_io_free() releases it. */
struct job_io {
	/*
	 * each device is a part with JOB_IO_KEYS counters, and the device's index in job_disks plus
	 * 1
	 */
	struct part_table part;
	uint64_t sum[DISK_PLACES][JOB_IO_KEYS];
};

/*
 * Store one counter of a line such as "8:0 rbytes=123 ..." or "8:0 Read 123"; key counts from
 * RD_BYTES. head is the text before the key. If head names several devices, the counter belongs to
 * the last one: some kernels before 6.0 print "7:7 7:6 8:0 rbytes=123". Looks for the device at
 * index `likely` of the reading first.
 */
void job_io_note(struct job_io_reading *r, size_t likely, struct str head, size_t key, uint64_t v);
void job_io_reading_free(struct job_io_reading *r);

/*
 * Get a mask of the keys of type job, from RD_BYTES on, that this kernel counts in cgroups v1.
 * Since Linux 5.10, the controller blkio counts only if a limit is set; otherwise its files contain
 * only "Total 0". If the kernel counts, the root cgroup's files have a line for at least one
 * device. mount is the directory of the controllers' mounts.
 */
uint64_t job_io_v1_keys(struct source *s, const char *mount);

/*
 * Add a reading to the job's sums, and set value[] to the largest sum. I/O to a dm, md or loop
 * device is counted again by the disks that the device uses, so the lowest and the highest devices
 * have separate sums. Usually the sum over the lowest devices is right, as in type block, but
 * RAID-5 writes to its disks from a kernel thread that is not in the job's cgroup: then the sum
 * over the highest devices is larger.
 */
void job_io_take(struct job_io *io, struct job_disks *disks, struct source *s,
		 const struct job_part *part, size_t n, uint64_t value[JOB_IO_KEYS]);
void job_io_free(struct job_io *io);

/* Call this at a rescan, because the stack of devices may have changed. */
void job_disks_look_again(struct job_disks *d);
void job_disks_free(struct job_disks *d);
