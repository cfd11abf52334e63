/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.h - all classes of one node at one time, and a stream of moments */
#pragma once

#include "formats/vms/recording.h"

/* All zero is a valid empty moment; moments_close() releases it. */
struct monitor_moment {
	int64_t stamp;		/* system time of the moment's first class */
	uint8_t index;		/* index of the node */
	uint32_t has;		/* bit n: the moment has class n */
	struct vms_set set[VMS_CLASSES];
};

static inline bool moment_has(const struct monitor_moment *m, size_t number)
{
	return m->has >> number & 1;
}

void moment_clear(struct monitor_moment *m);

enum step {
	STEP_NODE,	/* .node[.index] is new, or has new facts */
	STEP_GONE,	/* the node .index has left the cluster */
	STEP_MOMENT,	/* .moment is the next moment */
	STEP_END,
};

/*
 * A stream of moments, of this node, a raw file or a recording. The function that opens the stream
 * sets all members.
 */
struct moments {
	enum step (*next)(struct moments *m);
	void (*close)(struct moments *m);
	void *state;			/* state of .next and .close */
	const char *name;		/* name of the file; NULL: this node, now */

	struct vms_node *node[VMS_NODES_MAX];	/* nodes by index; NULL: the node is not known */
	uint8_t index;
	struct monitor_moment moment;
	/* seconds between two moments, if the file states the interval; 0: not stated */
	uint32_t interval;
	char comment[VMS_COMMENT_MAX + 1];
	struct buf files;		/* names of RMS files, each with its NUL */
	size_t n_files;
	bool failed;			/* the stream failed, and the reason was logged */
};

/* Return the node with this index. Add it if it is not known yet. */
struct vms_node *moments_node(struct moments *m, uint8_t index);
void moments_close(struct moments *m);

/* Return the node's full hostname if nodometer's own record has it; "?" if n is NULL. */
struct str moments_host(const struct vms_node *n);
