/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.c - the lines "%..." of a record */
#include "schema/marks.h"

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
