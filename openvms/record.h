/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - write a MONITOR recording */
#pragma once

#include "openvms/moment.h"

/*
 * A recording that is being written. The caller sets the members up to .measure, and .header; the
 * others are 0. record_close() releases the recording and closes its descriptor.
 */
struct recording {
	const char *path;
	/* descriptor open for writing; record_open() empties the file */
	int fd;
	bool customer;			/* also write nodometer's customer records */
	/* longest time between two writes of buffered records to the file, in seconds */
	int64_t flush;
	/* find the interval from the samples, because the input states none */
	bool measure;

	struct vms_header header;	/* caller sets interval and comment */
	struct buf out;
	uint32_t records;
	bool begun;
	/* time of the last write, nanoseconds of CLOCK_MONOTONIC */
	int64_t flushed;
	/* index of the node that .step is measured on */
	uint8_t measured;
	int64_t last;			/* stamp of the last sample of node .measured */
	/* measured times between samples of node .measured, in seconds */
	uint32_t *step;
	size_t n_steps, cap_steps;
	struct vms_node *node[VMS_NODES_MAX];	/* nodes by index, as last written to the file */
};

/* Each function returns 0 or -errno; errors are logged. */
int record_open(struct recording *r) MUST_CHECK;
int record_moment(struct recording *r, const struct moments *m) MUST_CHECK;
int record_gone(struct recording *r, uint8_t index) MUST_CHECK;
int record_close(struct recording *r) MUST_CHECK;
