/* SPDX-License-Identifier: BSD-3-Clause */
/* line_filter.h - which lines an output takes: by organisation and by path */
#pragma once

#include <stdbool.h>
#include "base/str.h"

/* Comma-separated lists; an empty list takes nothing, but where all are empty all is taken. */
struct line_filter {
	struct str vos;		/* names, in any case */
	struct str paths;	/* beginnings */
	bool rest;		/* only lines that no filter of another output takes */
};

/* Subject of a line: of a copy both sides' paths. */
struct line_about {
	struct str vo, path, other_path;
};

static inline bool line_filter_is_set(const struct line_filter *f)
{
	return f->vos.n || f->paths.n;
}

bool line_filter_takes(const struct line_filter *f, const struct line_about *about);
