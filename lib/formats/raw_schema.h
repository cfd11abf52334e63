/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_schema.h - types of a raw file, from "!type key,opts ..." lines, see nodometer-raw(5) */
#pragma once

#include "base/map.h"
#include "schema/record.h"

#define RAW_GROUP_BYTES_MAX (64u << 20)	/* limit of the bytes of a record group */
/* limit of the definitions in one file, including redefinitions */
#define RAW_TYPES_MAX       4096
/* limit of the memory for all schema lines of a file, in bytes */
#define RAW_SCHEMA_BYTES_MAX (64u << 20)
/* number of older definitions of a type in which an identical line is searched */
#define RAW_SCHEMA_REVIVED   16

/*
 * One definition of a type. It lives until raw_schema_free(), because rows point to it. If another
 * agent uses other names for a type or key, .type has nodometer's names.
 */
struct schema_type {
	struct record_type type;
	const char *name;		/* name in the file */
	size_t name_n;
	struct str text;		/* schema line without "!" */
	/*
	 * a bit for each key that a row tagged "@fast" has, which are all keys except the slow ones
	 * (see struct record_key); NULL if there are no slow keys
	 */
	const uint64_t *fast_present;
	size_t n_slow;			/* number of slow keys */
	struct schema_type *older;	/* previous definition of the same name */
	bool in_force;
	struct schema_type *next_row;	/* type of the row that last followed rows of this type */
	/*
	 * for a type "ib.2": the definition of "ib" that was current when "ib.2" was defined; else
	 * NULL
	 */
	const struct schema_type *beside;
	/*
	 * if this is the definition of a kind of odd device, such as "ib.2": the definition of the
	 * type "ib", to which the rows belong; else NULL
	 */
	const struct schema_type *kind_of;
	uint64_t *kind_present;		/* a bit for each key of .kind_of that the rows have */
	char *names;
};

/* All definitions of a file. All zero is a valid start. */
struct raw_schema {
	struct schema_type **in_force;	/* current definitions, in the order of their first lines */
	size_t n, cap, n_defined;
	size_t bytes;
	struct map by_name;		/* indexes into .in_force */
};

void raw_schema_free(struct raw_schema *s);

/*
 * Add a schema line, without its "!". foreign: another agent wrote it, so translate its names.
 * Returns NULL, or why the line was left out.
 */
const char *raw_schema_add(struct raw_schema *s, struct str line, bool foreign);

/* Return the current definition of this name, or NULL. */
struct schema_type *raw_schema_find(const struct raw_schema *s, struct str name);
