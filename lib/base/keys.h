/* SPDX-License-Identifier: BSD-3-Clause */
/* keys.h - keys of a configuration: a table says what each may be, and where its value goes */
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
	KEY_TEXT,		/* a char array of KEY_TEXT_MAX, as the next three */
	KEY_PATH,		/* an absolute one */
	KEY_PATH_OR_NOTHING,
	KEY_SECRET,		/* a file: an absolute path, or a word, a credential of systemd */
	KEY_NUMBER,		/* an int64_t, from .min to .max in the base unit of .units */
	KEY_CHOICE,		/* a bool: .no or .yes */
};

struct key {
	const char *name;
	enum key_kind kind;
	size_t offset;		/* of the value in the structure that the table is for */
	const struct key_unit *units;
	int64_t min, max;
	const char *no, *yes;
	const char *usual;	/* value where nothing sets the key, as it would be written */
	bool kept;		/* a path: a folder whose files are written, too */
	/* Or NULL: whether a text is what it is to be; else why gets what is wrong with it. */
	bool (*check)(const struct key *k, const char *value, struct buf *why);
	const char *help;
};

/* The structure that the table is for gets the value, or why gets what is wrong with it. */
bool key_set(const struct key *k, void *to, const char *value, struct buf *why);

/* A number as a file has it, in the largest unit that says it without a fraction. */
void key_put_number(struct buf *b, const struct key_unit *units, int64_t v);

const struct key *key_find(const struct key *k, size_t n, const char *name);	/* or NULL */
