/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.h - table of the columns that top shows for each type */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TOP_KEYS 8

struct top_key {
	const char *key;
	/* title on the page, or NULL for a key that is only used by others and in JSON */
	const char *title;
	/* factor from the unit of the key to bytes, seconds or watts (or joules), as in JSON */
	double base;
	double shown;		/* unit of the page, in the same unit */
};

struct top_type {
	const char *name;
	bool sums;	/* whether to show only the sum of the devices, for the node */
	struct top_key key[TOP_KEYS];
};

extern const struct top_type top_types[];
extern const size_t n_top_types;

/* returns NULL if there is none */
const struct top_type *top_type_find(const char *name);
/* asserts that the key exists */
size_t top_key_find(const struct top_type *t, const char *key);
