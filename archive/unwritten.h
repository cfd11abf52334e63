/* SPDX-License-Identifier: BSD-3-Clause */
/* unwritten.h - record groups on their way to the writer, in bounded memory that outlives a kill */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

#define UNWRITTEN_BYTES_MAX  (1u << 20)
#define UNWRITTEN_GROUPS_MAX 4096

/*
 * All zero is an empty one. Text of whole groups, each with the header it needs in front. The text
 * lies in one half of the memory, and moves into the other where groups are taken out, so that a
 * process that is killed leaves whole groups. unwritten_open() has this memory in a file.
 */
struct unwritten {
	struct buf text;
	size_t n;
	struct unwritten_group {
		size_t header, group;	/* lengths */
		int64_t usec;		/* TIME of the group */
		bool marked;
	} part[UNWRITTEN_GROUPS_MAX];	/* the oldest first */
	int64_t last_us;	/* TIME of the newest */
	size_t held;		/* so many of them are being written */
	bool wants_header;	/* the next one needs its own */
	bool mixed;		/* of several headers: for a file of their own */
	uint64_t lost;		/* groups that had to make room, in all */
	struct unwritten_memory *memory;	/* NULL: none yet */
	bool reserved[2];	/* the file has room for that half */
	bool kept;		/* in a file, */
	int fd;			/* this one, locked */
};

/*
 * Keeps the groups in a file, and takes over those that an earlier run left there. fd is taken in
 * any case. 0, -EAGAIN: the process that has them lives; or -errno: groups are in memory alone.
 */
int unwritten_open(struct unwritten *p, int fd) MUST_CHECK;
/* Only the groups of such a file, none where they are not whole; returns the half they are in. */
int unwritten_read(int fd, struct buf *to);

/*
 * header is empty where the group before has the same schema. Groups without marks make room first,
 * the oldest before the newer, and also for one with marks; held ones stay. 0, -EAGAIN: it needs
 * its header; -ENOSPC: it is too large, and counted as lost.
 */
int unwritten_add(struct unwritten *p, int64_t usec, struct str header, struct str group,
		  bool marked) MUST_CHECK;
/* The oldest n are written. */
void unwritten_done(struct unwritten *p, size_t n);
/* Groups that wait in a file stay there. */
void unwritten_clear(struct unwritten *p);
