/* SPDX-License-Identifier: BSD-3-Clause */
/* key_lines.h - find keys in files of lines "key value", trying each key's last position first */
#pragma once

#include "schema/rows.h"

/* The text of a file of lines "key value", and the position of the search. */
struct key_lines {
	const char *begin, *end;
	const char *at;		/* position after the last key that was found */
	size_t skip;		/* bytes to ignore at the start of each line */
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

/* Get the start of the line after `at`, or the end of the text. */
const char *key_lines_next(const struct key_lines *l, const char *at);
/* Search the whole text for a key, and update *bytes. Returns the text after the key, or NULL. */
const char *key_lines_search(struct key_lines l, struct str key, uint16_t *bytes);

/* Get the text after a key if its line starts `bytes` after l->at; otherwise NULL. */
static inline const char *key_lines_after(const struct key_lines *l, uint16_t bytes, struct str key)
{
	if (bytes >= l->end - l->at)
		return NULL;
	const char *line = l->at + bytes;
	bool begins = line == l->begin || line[-1] == '\n';
	return begins && key_lines_hold(l, line, key) ? line + l->skip + key.n + 1 : NULL;
}

/*
 * Find the line of a key, and set l->at to the text after the key, which ends at a colon, blank or
 * tab. *bytes is the distance from l->at at which the previous parsing found the key. This position
 * is tried first, then all lines. Returns false if no line has the key. No key may occur twice.
 */
static inline bool key_lines_find(struct key_lines *l, struct str key, uint16_t *bytes)
{
	const char *after = key_lines_after(l, *bytes, key);
	if (!after)
		after = key_lines_search(*l, key, bytes);
	l->at = after ? after : l->at;
	return after;
}

/* Parse the number at l->at. Skip a tab, because str_u64_at() is slow at a tab. */
static inline bool key_lines_take_u64(struct key_lines *l, uint64_t *value)
{
	const char *at = l->at + (l->at < l->end && *l->at == '\t');
	const char *after = str_u64_at(at, l->end, value);
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

/*
 * Take the text from l->at to the end of the line. The distance to the next key then does not
 * depend on the length of the text.
 */
static inline struct str key_lines_take_rest(struct key_lines *l)
{
	struct str rest = { l->at, (size_t)(l->end - l->at) }, line = { l->at, 0 };
	str_take_line(&rest, &line);
	l->at += line.n;
	return line;
}
