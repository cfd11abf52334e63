/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.h - what devices do at one moment: rates since the moment before, and levels */
#pragma once

#include "base/map.h"
#include "schema/record.h"
#include "top/columns.h"

struct top_device {
	const struct top_type *type;
	char *name;
	uint64_t value[TOP_KEYS];	/* as it was read, */
	bool has[TOP_KEYS];		/* if it was */
	double now[TOP_KEYS];		/* in base units, per second; NAN: unknown */
};

/* All zero is a valid empty one; it keeps its memory. */
struct top_moment {
	int64_t usec;
	double seconds;			/* since the moment before, 0: there was none */
	struct top_device *device;	/* by type, in the order of top_types[] */
	size_t n, cap;
	struct map by_name;
};

/* before is another one, empty at first. */
void top_moment_take(struct top_moment *m, const struct top_moment *before,
		     const struct record *r);
void top_moment_free(struct top_moment *m);

const struct top_device *top_moment_find(const struct top_moment *m, const struct top_type *t,
					 struct str name);	/* or NULL */
/* Of all devices of the type that have it; NAN: none has. */
double top_moment_sum(const struct top_moment *m, const char *type, const char *key);
size_t top_moment_count(const struct top_moment *m, const char *type);
