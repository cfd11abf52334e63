/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.h - rates and levels of devices at one moment */
#pragma once

#include "base/map.h"
#include "schema/delta.h"
#include "schema/record.h"
#include "top/columns.h"

struct top_device {
	const struct top_type *type;
	char *name;
	struct counter counter[TOP_KEYS];
	bool has[TOP_KEYS];		/* whether the key was read */
	double now[TOP_KEYS];	/* value, or rate of a counter, in base units; NAN if unknown */
};

/* Values of all devices at one time. All zero is empty; memory is reused. */
struct top_moment {
	int64_t usec;
	double seconds;	/* time since the previous moment, or 0 if this is the first */
	struct top_device *device;	/* devices by type, in the order of top_types[] */
	size_t n, cap;
	struct map by_name;
};

/* Store the values of a record in *m. `before` is the previous moment or empty, and is not m. */
void top_moment_take(struct top_moment *m, const struct top_moment *before,
		     const struct record *r);
void top_moment_free(struct top_moment *m);

/* returns NULL if the type has no such device */
const struct top_device *top_moment_find(const struct top_moment *m, const struct top_type *t,
					 struct str name);
/*
 * Returns the sum over all devices of the type whose value is known; NAN if there is none. The type
 * and key must be in top_types[].
 */
double top_moment_sum(const struct top_moment *m, const char *type, const char *key);
size_t top_moment_count(const struct top_moment *m, const char *type);
