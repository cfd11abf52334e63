/* SPDX-License-Identifier: BSD-3-Clause */
/* job_path.h - a path to which a walk appends and removes names */
#pragma once

#include "base/str.h"

struct job_path {
	size_t n;
	char text[500];
};

/* Append a name. Returns false, and changes nothing, if there is no room. */
static inline bool job_path_enter(struct job_path *p, struct str name)
{
	if (p->n + name.n + 2 > sizeof(p->text))
		return false;
	p->text[p->n] = '/';
	str_copy(p->text + p->n + 1, sizeof(p->text) - p->n - 1, name);
	p->n += name.n + 1;
	return true;
}

/* Truncate the path to n bytes. */
static inline void job_path_leave(struct job_path *p, size_t n)
{
	p->n = n;
	p->text[n] = '\0';
}
