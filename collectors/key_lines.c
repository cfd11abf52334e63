/* SPDX-License-Identifier: BSD-3-Clause */
/* key_lines.c - find keys in files of lines "key value", trying each key's last position first */
#include "collectors/key_lines.h"

#include <string.h>

const char *key_lines_next(const struct key_lines *l, const char *at)
{
	const char *nl = memchr(at, '\n', (size_t)(l->end - at));
	return nl ? nl + 1 : l->end;
}

static const char *key_lines_search_from(const struct key_lines *l, const char *line,
					 struct str key)
{
	while (line < l->end && !key_lines_hold(l, line, key))
		line = key_lines_next(l, line);
	return line;
}

const char *key_lines_search(struct key_lines l, struct str key, uint16_t *bytes)
{
	const char *line = key_lines_search_from(&l,
						 l.at > l.begin ? key_lines_next(&l,
										 l.at) : l.at, key);
	if (line == l.end)
		line = key_lines_search_from(&l, l.begin, key);
	if (line == l.end)
		return NULL;
	*bytes = line > l.at && line - l.at <= UINT16_MAX ? (uint16_t)(line - l.at) : 0;
	return line + l.skip + key.n + 1;
}
