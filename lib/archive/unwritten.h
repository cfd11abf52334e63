/* SPDX-License-Identifier: BSD-3-Clause */
/* unwritten.h - keep record groups until they are written, in memory that outlives a kill */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

#define UNWRITTEN_BYTES_MAX  (1u << 20)
#define UNWRITTEN_GROUPS_MAX 4096

/*
 * Whole groups as text, with a header in front of a group if its schema differs from the group
 * before. Initialize with zeros. The text is in one half of the memory and moves to the other half
 * when groups are removed, so that a process that is killed leaves whole groups. unwritten_open()
 * maps the memory to a file.
 */
struct unwritten {
	struct buf text;
	size_t n;
	struct unwritten_group {
		size_t header, group;	/* lengths, bytes */
		int64_t usec;		/* TIME of the group */
		bool marked;
		/* only the marks are left: the samples were removed to make room */
		bool reduced;
	} part[UNWRITTEN_GROUPS_MAX];	/* oldest first */
	int64_t last_us;	/* TIME of the newest group */
	size_t held;		/* number of oldest groups that are being written */
	bool wants_header;	/* the next group needs its own header */
	bool mixed;		/* several headers: the groups must go into a file of their own */
	uint64_t lost;		/* groups that lost their samples for lack of room, in total */
	/* Adds a group without its samples. NULL: groups with marks stay complete. */
	void (*put_marks)(struct buf *b, struct str group);
	struct unwritten_memory *memory;	/* NULL before the first group */
	bool reserved[2];	/* the file has blocks allocated for this half */
	bool kept;		/* the memory is mapped to the file .fd */
	int fd;			/* the file, locked */
};

/*
 * Map the memory to a file and take over the groups that an earlier run left there. fd belongs to
 * the callee in any case. Returns 0; -EAGAIN if the process that owns the groups is alive; or
 * -errno. On failure groups are kept in private memory.
 */
int unwritten_open(struct unwritten *p, int fd) MUST_CHECK;
/*
 * Read the groups from such a file; nothing if they are incomplete. Returns the half of the file
 * that holds them.
 */
int unwritten_read(int fd, struct buf *to);

/*
 * Append a group; header is empty if the group before has the same schema. To make room, the oldest
 * groups without marks are removed first. A group with marks then also replaces the samples of
 * older groups, and finally its own, but marks are never removed. Held groups stay as they are.
 * Returns 0; -EAGAIN if the group needs its header; or -ENOSPC, and the group is counted as lost.
 */
int unwritten_add(struct unwritten *p, int64_t usec, struct str header, struct str group,
		  bool marked) MUST_CHECK;
/* Remove the n oldest groups, which are written. */
void unwritten_done(struct unwritten *p, size_t n);
/* Free the memory. Groups in a file stay there for the next run. */
void unwritten_clear(struct unwritten *p);
