/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_schema.h - the "!type key,opts ..." lines that a reader has met: its types by name */
#pragma once

#include "base/map.h"
#include "schema/record.h"

#define RAW_GROUP_BYTES_MAX (64u << 20)	/* a record group is no larger */
#define RAW_TYPES_MAX       4096	/* of one file, redefinitions included */
#define RAW_SCHEMA_BYTES_MAX (64u << 20)	/* memory for all schema lines of a file */
#define RAW_SCHEMA_REVIVED   16	/* of so many definitions of a type the same line is known again */

/* A type as it was once defined. Lives until raw_schema_free(): rows point to it. */
struct schema_type {
	struct record_type type;
	size_t name_n;
	struct str text;		/* after the "!" */
	const uint64_t *fast_present;	/* a bit per key of a row tagged @fast, NULL: all */
	size_t n_slow;			/* keys that a row tagged @fast lacks */
	struct schema_type *older;	/* the definition of the same name before this one */
	bool in_force;
	struct schema_type *next_row;	/* whose row last followed rows of this one */
	char *names;
};

/* All zero is a valid empty one. */
struct raw_schema {
	struct schema_type **in_force;	/* by the order of their first lines */
	size_t n, cap, n_defined;
	size_t bytes;
	struct map by_name;		/* places in .in_force */
};

void raw_schema_free(struct raw_schema *s);

/* Takes a schema line without its "!"; NULL, or why it was left out. */
const char *raw_schema_add(struct raw_schema *s, struct str line);

/* The definition in force of this name, or NULL. */
struct schema_type *raw_schema_find(const struct raw_schema *s, struct str name);
