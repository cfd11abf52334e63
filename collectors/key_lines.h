/* SPDX-License-Identifier: BSD-3-Clause */
/* key_lines.h - files of lines "key value", whose places in the last such file are remembered */
#pragma once

#include "schema/rows.h"

/* A file of lines "key value", in which one key after the other is looked for. */
struct key_lines {
	const char *begin, *end;
	const char *at;		/* after the key that was found last */
	size_t skip;		/* so many bytes of something else begin each line */
};

static inline struct key_lines key_lines_of(struct str text)
{
	return (struct key_lines){ text.p, text.p + text.n, text.p, 0 };
}

static inline bool key_lines_hold(const struct key_lines *l, const char *line, struct str key)
{
	const char *at = line + l->skip, *end = at + key.n;
	return end < l->end && (*end == ':' || *end == ' ' || *end == '\t') &&
	       str_same(at, key.p, key.n);
}

/* The next line after "at", or the end. */
const char *key_lines_next(const struct key_lines *l, const char *at);
/* key_lines_find() where the key is not where it was: what follows it, or NULL. */
const char *key_lines_search(struct key_lines l, struct str key, uint16_t *bytes);

/*
 * Finds the line of a key, which a colon, a blank or a tab ends: l->at follows that. Looks *bytes
 * after l->at, where it stood in the last such file; else at all lines, those after l->at first.
 * False if none is of this key. No key has two lines.
 */
static inline bool key_lines_find(struct key_lines *l, struct str key, uint16_t *bytes)
{
	if (*bytes > 0 && *bytes < l->end - l->at) {
		const char *line = l->at + *bytes;
		if (line[-1] == '\n' && key_lines_hold(l, line, key)) {
			l->at = line + l->skip + key.n + 1;
			return true;
		}
	}
	const char *after = key_lines_search(*l, key, bytes);
	l->at = after ? after : l->at;
	return after;
}

/* Takes the number at l->at. */
static inline bool key_lines_take_u64(struct key_lines *l, uint64_t *value)
{
	const char *after = str_u64_at(l->at, l->end, value);
	l->at = after ? after : l->at;
	return after;
}

static inline bool key_lines_take(struct key_lines *l, struct row r, size_t metric)
{
	uint64_t v;
	bool found = key_lines_take_u64(l, &v);
	if (found)
		row_set(r, metric, v);
	return found;
}

/* The rest of the line. */
static inline struct str key_lines_rest(const struct key_lines *l)
{
	struct str rest = { l->at, (size_t)(l->end - l->at) }, line = { l->at, 0 };
	str_take_line(&rest, &line);
	return line;
}
