/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.h - table of the columns that top shows for each type */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TOP_KEYS 8

struct top_key {
	const char *key;
	/* title on the page; NULL: only JSON or other columns need the key */
	const char *title;
	/* factor from the key's unit to the base unit of JSON: bytes, seconds, watts or joules */
	double base;
	double shown;		/* factor from the base unit to the unit on the page */
};

struct top_type {
	const char *name;
	bool sums;	/* show only the sum over all devices */
	struct top_key key[TOP_KEYS];
};

extern const struct top_type top_types[];
extern const size_t n_top_types;

/* returns NULL if top shows no such type */
const struct top_type *top_type_find(const char *name);
/* returns the key's index; the key must exist */
size_t top_key_find(const struct top_type *t, const char *key);
