/* SPDX-License-Identifier: BSD-3-Clause */
/* library.h - a shared library that is used where it is installed, and never needed */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/base.h"

/* A function of the library, and where its pointer belongs in the caller's table of them. */
struct library_symbol {
	const char *name;
	size_t offset;
	bool optional;		/* the oldest library that will do lacks it: NULL there */
};

/*
 * Loads a library by its versioned name ("libnvidia-ml.so.1") and fills the table; symbols local,
 * nothing of it runs but its constructors. 0, or -ENOENT: not installed, damaged, or a function
 * that is needed is not in it: *why is dlerror()'s text until the next call. The table is written
 * only on success. The library stays loaded: vendors' threads and handlers survive no dlclose().
 */
int library_load(const char *file, const struct library_symbol *symbols, size_t n, void *table,
		 const char **why) MUST_CHECK;
