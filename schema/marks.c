/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.c - parse the "%..." lines of a record */
#include "schema/marks.h"

#include <string.h>

const char *const mark_verbs[MARK_KINDS] = {
	[MARK_OTHER]      = "",
	[MARK_BEGIN]      = "begin",
	[MARK_END]        = "end",
	[MARK_ATTRIBUTES] = "attributes",
	[MARK_RELEASE]    = MARK_COUNTERS_PREFIX "release",
	[MARK_ACQUIRE]    = MARK_COUNTERS_PREFIX "acquire",
	[MARK_RESTART]    = MARK_COUNTERS_PREFIX "restart",
};

struct mark mark_parse(struct str text)
{
	for (enum mark_kind kind = MARK_OTHER + 1; kind < MARK_KINDS; kind++) {
		struct str rest = text, subject;
		if (str_take_prefix(&rest, str_of(mark_verbs[kind])) && str_peek(rest) == ' ' &&
		    str_take_word(&rest, &subject))
			return (struct mark){ kind, text, subject, str_trim(rest) };
	}
	return (struct mark){ MARK_OTHER, text, { text.p, 0 }, { text.p, 0 } };
}

static bool mark_take_request(struct str *text, uint64_t *usec)
{
	uint64_t pid;
	return str_take_prefix(text, STR(MARK_REQUEST_KEY)) && str_peek(*text) != ' ' &&
	       str_take_u64(text, usec) && *usec <= INT64_MAX && str_take_prefix(text, STR(".")) &&
	       str_peek(*text) != ' ' && str_take_u64(text, &pid) && text->n == 0;
}

struct str mark_request(struct str text)
{
	struct str word, found = { text.p, 0 };
	while (str_take_word(&text, &word)) {
		struct str rest = word;
		uint64_t usec;
		if (mark_take_request(&rest, &usec))
			found = str_skip(word, strlen(MARK_REQUEST_KEY));
	}
	return found;
}

int64_t mark_request_usec(struct str request)
{
	uint64_t usec;
	return str_take_u64(&request, &usec) && usec <= INT64_MAX ? (int64_t)usec : INT64_MAX;
}

struct str mark_without_request(struct str text)
{
	struct str request = mark_request(text);
	if (request.n && request.p + request.n == text.p + text.n)
		text.n = (size_t)(request.p - text.p) - strlen(MARK_REQUEST_KEY);
	return str_trim(text);
}
