/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h - writes a MONITOR recording, moment by moment */
#pragma once

#include "monitor/moment.h"

/* All zero but these is a new one; record_close() ends it, and its descriptor. */
struct recording {
	const char *path;
	int fd;				/* open for writing; it is emptied */
	bool customer;			/* with nodometer's own record */
	int64_t flush;			/* seconds that the newest records may wait */

	struct vms_header header;	/* interval and comment are the caller's */
	struct buf out;
	uint32_t records;
	bool begun;
	int64_t flushed;		/* monotonic nanoseconds */
	struct vms_node *node[VMS_NODES_MAX];	/* as they were written last */
};

/* 0 or -errno, which is logged; so it is of the others. */
int record_open(struct recording *r) MUST_CHECK;
int record_moment(struct recording *r, const struct moments *m) MUST_CHECK;
int record_gone(struct recording *r, uint8_t index) MUST_CHECK;
int record_close(struct recording *r) MUST_CHECK;
