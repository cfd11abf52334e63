/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - write a MONITOR recording, moment by moment */
#pragma once

#include "openvms/moment.h"

/*
 * All zero but the first members is a valid new recording; record_close() releases it and closes
 * its descriptor.
 */
struct recording {
	const char *path;
	int fd;				/* open for writing; the file is truncated */
	bool customer;			/* nodometer's own record is written, too */
	int64_t flush;			/* seconds that the newest records may wait for a write */
	bool measure;			/* the input states no interval: measure it */

	struct vms_header header;	/* the caller sets interval and comment */
	struct buf out;
	uint32_t records;
	bool begun;
	int64_t flushed;		/* time of the last write, monotonic nanoseconds */
	uint8_t measured;		/* index of the node that gives the measured intervals */
	int64_t last;			/* stamp of the last moment of that node */
	uint32_t *step;			/* seconds between the first moments of that node */
	size_t n_steps, cap_steps;
	struct vms_node *node[VMS_NODES_MAX];	/* nodes as they were written last */
};

/* Write a recording. Each function returns 0 or -errno; errors are logged. */
int record_open(struct recording *r) MUST_CHECK;
int record_moment(struct recording *r, const struct moments *m) MUST_CHECK;
int record_gone(struct recording *r, uint8_t index) MUST_CHECK;
int record_close(struct recording *r) MUST_CHECK;
