/* SPDX-License-Identifier: BSD-3-Clause */
/* job_io.h - a job's disk I/O, from the counters of each block device for the job's cgroup */
#pragma once

#include "collectors/bpf/job_shared.h"
#include "collectors/part_sums.h"
#include "collectors/source.h"

/* The devices of one reading of a cgroup. The memory is reused for the next reading. */
struct job_io_reading {
	struct job_part *part;
	size_t n, cap;
	bool is_full;		/* more than JOB_IO_DEVICES_MAX devices: the sum is unknown */
};
#define JOB_IO_DEVICES_MAX 4096

/* Sums that a block device counts in, see job_io_take(). */
enum {
	DISK_LOWEST,	/* the device stands on no other */
	DISK_HIGHEST,	/* no other device stands on the device */
	DISK_GUEST,	/* loop, drbd, zvol: the kernel does not show the disks below them */
	DISK_PLACES,
};

/* Positions of block devices. All zero is valid; job_disks_free() releases it. */
struct job_disks {
	struct job_disk {
		unsigned device;	/* major and minor number, see struct job_part */
		bool is_known;		/* .places was looked up since the last rescan */
		unsigned places;	/* mask of the sums that the device counts in */
	} *disk;
	size_t n, cap;
};

/* A job's I/O so far. All zero is a valid new state; job_io_free() releases it. */
struct job_io {
	/* four counters per device, and the device's index in job_disks */
	struct part_table part;
	uint64_t sum[DISK_PLACES][JOB_IO_KEYS];
};

/*
 * Note one counter of a line "8:0 rbytes=123 ..." or "8:0 Read 123". head is the text before the
 * key. Some kernels before 6.0 print devices without counters in front, "7:7 7:6 8:0 rbytes=123";
 * the last device counts. likely is the likely index of the device in the reading.
 */
void job_io_note(struct job_io_reading *r, size_t likely, struct str head, size_t key, uint64_t v);
void job_io_reading_free(struct job_io_reading *r);

/*
 * Get a mask of the I/O keys that this kernel counts in cgroups of version 1. Since Linux 5.10,
 * blkio counts only if a limit is set; the other files say "Total 0". If the kernel counts, the
 * files of the root have a line for some device. mount is the mount point of the controllers.
 */
uint64_t job_io_v1_keys(struct source *s, const char *mount);

/*
 * Add a reading to the job's sums, and set value[] to the result. A byte written to a dm, md or
 * loop device is counted by that device and again by each device below. As in type block, count
 * only the lowest devices. But RAID-5 writes to its disks from a kernel thread, outside the job:
 * then the highest devices counted more. So the largest sum is the result.
 */
void job_io_take(struct job_io *io, struct job_disks *disks, struct source *s,
		 const struct job_part *part, size_t n, uint64_t value[JOB_IO_KEYS]);
void job_io_free(struct job_io *io);

/* call at a rescan: device positions may have changed */
void job_disks_look_again(struct job_disks *d);
void job_disks_free(struct job_disks *d);
