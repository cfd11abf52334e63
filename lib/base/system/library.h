/* SPDX-License-Identifier: BSD-3-Clause */
/* library.h - load an optional shared library */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/base.h"

/* A function of the library, and the place of its pointer in the caller's table. */
struct library_symbol {
	const char *name;
	size_t offset;
	/* the oldest supported library lacks the function: its pointer is then NULL */
	bool optional;
};

/*
 * Load a library by its versioned name ("libnvidia-ml.so.1") and fill the table of functions. Its
 * symbols stay local, and only its constructors run. Returns 0; or -ENOENT if it is not installed,
 * damaged, or lacks a required function, with *why the text of dlerror(), valid until the next
 * call. The table is written only on success. The library stays loaded, because threads and
 * handlers of vendors do not survive dlclose().
 */
int library_load(const char *file, const struct library_symbol *symbols, size_t n, void *table,
		 const char **why) MUST_CHECK;
