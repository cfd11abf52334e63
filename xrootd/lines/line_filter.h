/* SPDX-License-Identifier: BSD-3-Clause */
/* line_filter.h - select the lines of an output by organisation and path */
#pragma once

#include <stdbool.h>
#include "base/str.h"

/* Comma-separated lists. A line passes if it matches one of the lists, or if both are empty. */
struct line_filter {
	struct str vos;		/* organisations, case-insensitive */
	struct str paths;	/* prefixes of paths */
	/* accept only lines that no filter of another output accepts; the caller checks this */
	bool rest;
};

/* The properties of a line that filters use. A copy has two paths, one on each side. */
struct line_about {
	struct str vo, path, other_path;
};

static inline bool line_filter_is_set(const struct line_filter *f)
{
	return f->vos.n || f->paths.n;
}

bool line_filter_takes(const struct line_filter *f, const struct line_about *about);
