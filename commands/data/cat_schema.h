/* SPDX-License-Identifier: BSD-3-Clause */
/* cat_schema.h - the types that files have, each schema once */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "schema/record_source.h"

/* All zero is a valid new one; schemas_free() ends it. */
struct schemas {
	bool csv;		/* lines type,key,kind,unit,bits,help; else an object per type */
	struct buf *seen;	/* schemas put so far, by type */
	size_t n, cap;
};

void schemas_put_head(const struct schemas *s, struct buf *out);

/* The types of which there can be rows now, without those that were put and are the same. */
void schemas_put(struct schemas *s, const struct record_source *source,
		 bool (*wants)(void *arg, struct str type), void *arg, struct buf *out);
void schemas_free(struct schemas *s);
