/* SPDX-License-Identifier: BSD-3-Clause */
/* cat_schema.h - print each different schema (a type's list of keys) that occurs in files once */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "schema/record_source.h"

/* Schemas seen so far. All zero is empty; release with schemas_free(). */
struct schemas {
	/* print lines "type,key,kind,unit,bits,help" instead of a JSON object per type */
	bool csv;
	struct buf *seen;	/* texts of the schemas printed so far */
	size_t n, cap;
};

void schemas_put_head(const struct schemas *s, struct buf *out);

/* Print the schemas of a source's types that were not printed before. */
void schemas_put(struct schemas *s, const struct record_source *source,
		 bool (*wants)(void *arg, struct str type), void *arg, struct buf *out);
void schemas_free(struct schemas *s);
