/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.h - a moment (one sample of the MONITOR classes of one node), and streams of moments */
#pragma once

#include "formats/vms/recording.h"

/* A sample of one node. All zero is an empty moment. */
struct monitor_moment {
	/* time of the first class in the moment: VMS system time (vms_time.h) */
	int64_t stamp;
	uint8_t index;		/* index of the node */
	uint32_t has;		/* bit n: class n is in .set[n] */
	struct vms_set set[VMS_CLASSES];
};

static inline bool moment_has(const struct monitor_moment *m, size_t number)
{
	return m->has >> number & 1;
}

void moment_clear(struct monitor_moment *m);

enum step {
	STEP_NODE,	/* .node[.index] is new or has changed */
	STEP_GONE,	/* node .index has left the cluster */
	STEP_MOMENT,	/* .moment is the next moment */
	STEP_END,
};

/*
 * A stream of moments from this node, a raw file or a recording. The function that opens the stream
 * sets all members.
 */
struct moments {
	enum step (*next)(struct moments *m);
	void (*close)(struct moments *m);
	void *state;			/* private data of .next and .close */
	const char *name;		/* path of the file; NULL: this node, live */

	struct vms_node *node[VMS_NODES_MAX];	/* nodes by index; NULL: unknown */
	uint8_t index;			/* index of the node that STEP_NODE or STEP_GONE is about */
	struct monitor_moment moment;
	/* seconds between samples; 0: unknown */
	uint32_t interval;
	char comment[VMS_COMMENT_MAX + 1];
	struct buf files;		/* names of RMS files, each ends in NUL */
	size_t n_files;
	bool failed;			/* reading failed; the reason was logged */
};

/*
 * Return the node with this index, and add it if it is new. The stream owns the node, and may free
 * it after STEP_GONE.
 */
struct vms_node *moments_node(struct moments *m, uint8_t index);
void moments_close(struct moments *m);

/* Return the full hostname of a node, else its short name; "?" if n is NULL. */
struct str moments_host(const struct vms_node *n);
