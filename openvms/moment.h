/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.h - all classes of one node at one time, and where moments come from, one by one */
#pragma once

#include "formats/vms/recording.h"

/* All zero is a valid empty one; moments_close() ends it. */
struct moment {
	int64_t stamp;		/* system time, of the first class */
	uint8_t index;		/* of the node */
	uint32_t has;		/* bit n: class n */
	struct vms_set set[VMS_CLASSES];
};

static inline bool moment_has(const struct moment *m, size_t number)
{
	return m->has >> number & 1;
}

void moment_clear(struct moment *m);

enum step {
	STEP_NODE,	/* .node[.index] is known, or known better */
	STEP_GONE,	/* the node .index has left */
	STEP_MOMENT,	/* .moment */
	STEP_END,
};

/*
 * This node, a raw file or a recording: the one that opens it sets all of it.
 */
struct moments {
	enum step (*next)(struct moments *m);
	void (*close)(struct moments *m);
	void *state;			/* theirs */
	const char *name;		/* of the file; NULL: this node, now */

	struct vms_node *node[VMS_NODES_MAX];	/* NULL: not known */
	uint8_t index;
	struct moment moment;
	uint32_t interval;		/* seconds, as the file says; 0: it does not */
	char comment[VMS_COMMENT_MAX + 1];
	struct buf files;		/* names of RMS files, each with its NUL */
	size_t n_files;
	bool failed;			/* and the reason was logged */
};

/* The node of this index, made where it is not known yet. */
struct vms_node *moments_node(struct moments *m, uint8_t index);
void moments_close(struct moments *m);

/* The full name if the customer record has it. */
struct str moments_host(const struct moments *m, uint8_t index);
