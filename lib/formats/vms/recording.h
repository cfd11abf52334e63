/* SPDX-License-Identifier: BSD-3-Clause */
/* recording.h - what a MONITOR recording says, step by step: nodes, files, classes */
#pragma once

#include "formats/vms/records.h"

#define VMS_NODES_MAX 256	/* an index is a byte */

enum vms_event {
	VMS_NODE_IS,	/* .node[.index] is known, or known better */
	VMS_NODE_LEFT,	/* the node .index was removed */
	VMS_FILE_IS,	/* .file is the name of one more RMS file */
	VMS_CLASS_IS,	/* .set: all that a class of a node had at one moment */
	VMS_RECORDING_ENDS,	/* as .end says */
};

/* Gets a note of each part that was left out or is odd, with its offset in the file. */
struct vms_listener {
	void (*note)(void *arg, uint64_t offset, const char *what);
	void *arg;
};

/* vms_recording_open() makes one, vms_recording_close() ends it. */
struct vms_recording {
	struct vms_header header;
	uint64_t records;		/* read so far */
	struct vms_node *node[VMS_NODES_MAX];	/* NULL: not known, or removed */
	uint8_t index;
	struct str file;
	struct vms_set set;
	enum vms_end end;

	/* recording.c's own. */
	struct vms_records from;
	struct vms_listener listener;
	bool open;			/* .set: records of it are still to come */
	struct str record, rest;
	uint64_t offset;
	bool said[256];			/* per type: that it is left out */
};

/*
 * Reads up to the file header. 0, or -EBADMSG: it is no recording, .end says why; the listener may
 * be NULL.
 */
int vms_recording_open(struct vms_recording *r, const struct byte_source *src,
		       const struct vms_listener *listener) MUST_CHECK;
void vms_recording_close(struct vms_recording *r);
enum vms_event vms_recording_next(struct vms_recording *r);
