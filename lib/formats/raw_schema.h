/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * raw_schema.h - parse the schema lines of a raw file, "!type key,opts ..."; see nodometer-raw(5)
 */
#pragma once

#include "base/map.h"
#include "schema/record.h"

#define RAW_GROUP_BYTES_MAX (64u << 20)	/* limit of the size of a record, in bytes */
/*
 * limit of type definitions in one file; a schema line that repeats a recent definition does not
 * count
 */
#define RAW_TYPES_MAX       4096
/* limit of the memory for schema lines, in bytes */
#define RAW_SCHEMA_BYTES_MAX (64u << 20)
/* number of older definitions of a type that are compared with a new schema line */
#define RAW_SCHEMA_REVIVED   16

/*
 * The definition of a type by one schema line. Rows point to the definition, so it lives until
 * raw_schema_free(). .type has nodometer's names, except for keys that could not be translated;
 * .name has the type's name in the file.
 */
struct schema_type {
	struct record_type type;
	const char *name;		/* name in the file */
	size_t name_n;
	struct str text;		/* schema line without "!" */
	/*
	 * mask of the keys that are not slow (see struct record_key), for rows with "@fast"; NULL
	 * if no key is slow
	 */
	const uint64_t *fast_present;
	size_t n_slow;			/* number of slow keys */
	struct schema_type *older;	/* previous definition of this type */
	bool in_force;
	/* type of the row that followed when rows of this type last ended */
	struct schema_type *next_row;
	/*
	 * for a reduced schema such as "ib.2": the definition of "ib" at the time of reading this
	 * line; else NULL
	 */
	const struct schema_type *beside;
	/*
	 * .beside, if that definition has all keys of this schema: then rows of "ib.2" belong to
	 * type "ib"; else NULL
	 */
	const struct schema_type *kind_of;
	uint64_t *kind_present;	/* mask of the keys of .kind_of that rows of this schema have */
	char *names;
};

/* All schema lines of a file. All zero is a valid start. */
struct raw_schema {
	/* current definitions, in the order in which the types first appeared */
	struct schema_type **in_force;
	size_t n, cap, n_defined;
	size_t bytes;
	struct map by_name;		/* index in .in_force of each type */
};

void raw_schema_free(struct raw_schema *s);

/*
 * Add a schema line, without its "!". foreign: translate the names of another agent. Returns NULL,
 * or the reason why the line was rejected.
 */
const char *raw_schema_add(struct raw_schema *s, struct str line, bool foreign);

/* Return the current definition of a type, or NULL. */
struct schema_type *raw_schema_find(const struct raw_schema *s, struct str name);
