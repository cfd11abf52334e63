/* SPDX-License-Identifier: BSD-3-Clause */
/* unwritten.h - record groups that could not be written yet, in bounded memory */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

#define UNWRITTEN_BYTES_MAX  (1u << 20)
#define UNWRITTEN_GROUPS_MAX 4096

/* All zero is an empty one. Text of whole groups, each with the header it needs in front. */
struct unwritten {
	struct buf text;
	size_t n;
	struct unwritten_group {
		size_t header, group;	/* lengths */
		int64_t usec;		/* TIME of the group */
		bool marked;
		char *left;		/* where its marks are safe meanwhile, or NULL */
	} part[UNWRITTEN_GROUPS_MAX];	/* the oldest first */
	size_t held;		/* so many of them are being written */
	bool wants_header;	/* the next one needs its own */
	uint64_t lost;		/* groups that had to make room, in all */
};

/*
 * header is empty where the group before has the same schema. Groups without marks make room first,
 * the oldest before the newer, and also for one with marks; held ones stay. 0, -EAGAIN: it needs
 * its header; -ENOSPC: it is too large, and counted as lost.
 */
int unwritten_add(struct unwritten *p, int64_t usec, struct str header, struct str group,
		  bool marked) MUST_CHECK;
/* The oldest n are written. */
void unwritten_done(struct unwritten *p, size_t n);
void unwritten_clear(struct unwritten *p);
