/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - write a MONITOR recording, moment by moment */
#pragma once

#include "openvms/moment.h"

/*
 * The caller sets the members up to .measure, and .header. All zero is valid for the other members.
 * record_close() releases the recording and closes its descriptor.
 */
struct recording {
	const char *path;
	int fd;				/* open for writing; the file is truncated */
	bool customer;			/* also write nodometer's customer record */
	/* how long the newest records may wait for a write, in seconds */
	int64_t flush;
	bool measure;			/* measure the interval, because the input states none */

	struct vms_header header;	/* the caller sets interval and comment */
	struct buf out;
	uint32_t records;
	bool begun;
	/* time of the last write, in nanoseconds of CLOCK_MONOTONIC */
	int64_t flushed;
	/* index of the node whose moments are used to measure the interval */
	uint8_t measured;
	int64_t last;			/* stamp of the last moment of node .measured */
	/* seconds between consecutive moments of node .measured, early in the recording */
	uint32_t *step;
	size_t n_steps, cap_steps;
	struct vms_node *node[VMS_NODES_MAX];	/* the nodes' facts as they were written last */
};

/* The functions of a recording. Each returns 0 or -errno; errors are logged. */
int record_open(struct recording *r) MUST_CHECK;
int record_moment(struct recording *r, const struct moments *m) MUST_CHECK;
int record_gone(struct recording *r, uint8_t index) MUST_CHECK;
int record_close(struct recording *r) MUST_CHECK;
