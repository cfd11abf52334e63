/* SPDX-License-Identifier: BSD-3-Clause */
/* keys.h - keys of a configuration: a table of their kinds, limits and offsets */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

#define KEY_TEXT_MAX 512

struct key_unit {
	const char *name;
	int64_t factor;
};
extern const struct key_unit key_times[];	/* microseconds: ms, s, min, h */
extern const struct key_unit key_sizes[];	/* bytes: K, M, G, T */
extern const struct key_unit key_counts[];	/* plain numbers */

enum key_kind {
	KEY_TEXT,		/* text, in a char array of KEY_TEXT_MAX */
	KEY_PATH,		/* absolute path, in a char array of KEY_TEXT_MAX */
	KEY_PATH_OR_NOTHING,	/* absolute path or "" */
	/* file with a secret: absolute path, or name of a systemd credential */
	KEY_SECRET,
	KEY_NUMBER,		/* int64_t in the base unit of .units, from .min to .max */
	KEY_CHOICE,		/* bool; its texts are .no and .yes */
};

struct key {
	const char *name;
	enum key_kind kind;
	size_t offset;		/* offset of the value in the caller's struct */
	const struct key_unit *units;
	int64_t min, max;
	const char *no, *yes;
	const char *usual;	/* default, as text */
	/* the path is a folder in which nodometer creates and keeps files */
	bool is_storage;
	/*
	 * Check a text; NULL: any text is valid. Returns false, and appends the reason to `why`, if
	 * the text is invalid.
	 */
	bool (*check)(const struct key *k, const char *value, struct buf *why);
	const char *help;
};

/*
 * Set a value in the struct `to`. Returns false, and appends the reason to `why`, if the value is
 * invalid.
 */
bool key_set(const struct key *k, void *to, const char *value, struct buf *why);

/* Append a number in the largest of the units in which it is a whole number. */
void key_put_number(struct buf *b, const struct key_unit *units, int64_t v);

/* Find a key by its name. Returns NULL if there is none. */
const struct key *key_find(const struct key *k, size_t n, const char *name);
