/* SPDX-License-Identifier: BSD-3-Clause */
/* recording.h - read a MONITOR recording as events: a node, a file name, data of a class */
#pragma once

#include "formats/vms/records.h"

#define VMS_NODES_MAX 256	/* a node index has one byte */

enum vms_event {
	VMS_NODE_IS,	/* .node[.index] is new or changed */
	VMS_NODE_LEFT,	/* node .index has left */
	VMS_FILE_IS,	/* .file is the next name in the list of RMS files */
	VMS_CLASS_IS,	/* .set has the data of a class, node and time */
	VMS_RECORDING_ENDS,	/* end of the file, see .end */
};

/*
 * note() is called for each part of the file that is unusual or ignored. offset: position of this
 * part in the file, in bytes.
 */
struct vms_listener {
	void (*note)(void *arg, uint64_t offset, const char *what);
	void *arg;
};

/* An open recording: vms_recording_open() initializes it, vms_recording_close() releases it. */
struct vms_recording {
	struct vms_header header;
	uint64_t records;		/* number of records that were read */
	struct vms_node *node[VMS_NODES_MAX];	/* NULL: unknown, or has left */
	uint8_t index;
	struct str file;
	struct vms_set set;
	enum vms_end end;

	/* private to recording.c */
	struct vms_records from;
	struct vms_listener listener;
	bool open;			/* .set is not complete yet */
	struct str record, rest;
	uint64_t offset;
	bool said[256];			/* types reported as ignored */
};

/*
 * Read up to the file header. Copies both arguments; listener may be NULL. Returns 0, or -EBADMSG
 * if no header can be read; .end has the reason. Call vms_recording_close() also after an error.
 */
int vms_recording_open(struct vms_recording *r, const struct byte_source *src,
		       const struct vms_listener *listener) MUST_CHECK;
void vms_recording_close(struct vms_recording *r);
/* Read the next event, whose .file or .set is valid until the next call. */
enum vms_event vms_recording_next(struct vms_recording *r);
