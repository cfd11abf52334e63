/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.h - what top shows of each type: a row of a table */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TOP_KEYS 8

struct top_key {
	const char *key;
	const char *title;	/* on the page; NULL: only what others are made of, and JSON */
	double base;		/* the unit in bytes, seconds, watts (or joules): as in JSON */
	double shown;		/* unit of the page, in the same */
};

struct top_type {
	const char *name;
	bool sums;	/* only the sum of its devices is shown, as of the node */
	struct top_key key[TOP_KEYS];
};

extern const struct top_type top_types[];
extern const size_t n_top_types;

const struct top_type *top_type_find(const char *name);			/* or NULL */
size_t top_key_find(const struct top_type *t, const char *key);		/* the key is there */
