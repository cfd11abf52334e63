/* SPDX-License-Identifier: BSD-3-Clause */
/* pending.h - record groups that could not be written yet: the newest, in bounded memory */
#pragma once

#include <stdint.h>
#include "base/buf.h"

#define PENDING_BYTES_MAX  (1u << 20)
#define PENDING_GROUPS_MAX 4096

/* All zero is an empty one. Text of whole groups, each with the header it needs in front. */
struct pending {
	struct buf text;
	size_t n;
	struct {
		size_t header, group;	/* lengths */
		int64_t usec;		/* TIME of the group */
	} part[PENDING_GROUPS_MAX];	/* the oldest first */
	uint64_t lost;		/* groups that had to make room */
};

/* header is empty where the group before has the same schema. */
void pending_add(struct pending *p, int64_t usec, struct str header, struct str group);
void pending_clear(struct pending *p);
