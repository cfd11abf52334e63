/* SPDX-License-Identifier: BSD-3-Clause */
/* line_filter.c - which lines an output takes: by organisation and by path */
#include "tracers/xrootd/lines/line_filter.h"

#include <strings.h>

static bool is_name(struct str name, struct str word)
{
	return name.n == word.n && strncasecmp(name.p, word.p, word.n) == 0;
}

/* A server may send "cms cms": each word counts. */
static bool has_name(struct str list, struct str names)
{
	struct str one, word, rest;
	while (str_take_item(&list, &one))
		for (rest = names; str_take_word(&rest, &word);)
			if (is_name(word, one))
				return true;
	return false;
}

static bool begins_one(struct str list, struct str path)
{
	struct str one;
	while (str_take_item(&list, &one))
		if (str_starts(path, one))
			return true;
	return false;
}

bool line_filter_takes(const struct line_filter *f, const struct line_about *about)
{
	return !line_filter_is_set(f) || has_name(f->vos, about->vo) ||
	       begins_one(f->paths, about->path) || begins_one(f->paths, about->other_path);
}
