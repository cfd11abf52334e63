/* SPDX-License-Identifier: BSD-3-Clause */
/* line_filter.c - select the lines of an output by organisation and path */
#include "xrootd/lines/line_filter.h"

#include <strings.h>

static bool filter_is_name(struct str name, struct str word)
{
	return name.n == word.n && strncasecmp(name.p, word.p, word.n) == 0;
}

/* Check if one of the words in `names` is in the list. A server may send "cms cms". */
static bool filter_has_name(struct str list, struct str names)
{
	struct str one, word, rest;
	while (str_take_item(&list, &one))
		for (rest = names; str_take_word(&rest, &word);)
			if (filter_is_name(word, one))
				return true;
	return false;
}

static bool filter_has_prefix(struct str list, struct str path)
{
	struct str one;
	while (str_take_item(&list, &one))
		if (str_starts(path, one))
			return true;
	return false;
}

bool line_filter_takes(const struct line_filter *f, const struct line_about *about)
{
	return !line_filter_is_set(f) || filter_has_name(f->vos, about->vo) ||
	       filter_has_prefix(f->paths, about->path) || filter_has_prefix(f->paths,
									     about->other_path);
}
