/* SPDX-License-Identifier: BSD-3-Clause */
/* recording.h - read a MONITOR recording event by event: nodes, files, classes */
#pragma once

#include "formats/vms/records.h"

#define VMS_NODES_MAX 256	/* largest number of nodes: their index has one byte */

enum vms_event {
	VMS_NODE_IS,	/* .node[.index] was set or updated */
	VMS_NODE_LEFT,	/* node .index was removed */
	VMS_FILE_IS,	/* .file is the name of another RMS file */
	VMS_CLASS_IS,	/* .set holds all data of a class of one node at one time */
	VMS_RECORDING_ENDS,	/* end of the file; .end tells why */
};

/*
 * note() is called for each part of the file that is unusual or left out; offset: position of the
 * part.
 */
struct vms_listener {
	void (*note)(void *arg, uint64_t offset, const char *what);
	void *arg;
};

/* An open recording: vms_recording_open() initializes it, vms_recording_close() releases it. */
struct vms_recording {
	struct vms_header header;
	uint64_t records;		/* records that were read */
	struct vms_node *node[VMS_NODES_MAX];	/* NULL: not known, or removed */
	uint8_t index;
	struct str file;
	struct vms_set set;
	enum vms_end end;

	/* The members below are private to recording.c. */
	struct vms_records from;
	struct vms_listener listener;
	bool open;			/* further records of .set are expected */
	struct str record, rest;
	uint64_t offset;
	bool said[256];			/* record types whose omission was reported */
};

/*
 * Read up to the file header. listener may be NULL. Returns 0, or -EBADMSG if the file is no
 * recording; .end tells why.
 */
int vms_recording_open(struct vms_recording *r, const struct byte_source *src,
		       const struct vms_listener *listener) MUST_CHECK;
void vms_recording_close(struct vms_recording *r);
enum vms_event vms_recording_next(struct vms_recording *r);
