/* SPDX-License-Identifier: BSD-3-Clause */
/* library.h - load an optional shared library */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/base.h"

/* A function of the library, and the offset of its pointer in the caller's table. */
struct library_symbol {
	const char *name;
	size_t offset;
	/* old versions of the library lack the function: the pointer is then NULL */
	bool optional;
};

/*
 * Load a library by its versioned name ("libnvidia-ml.so.1"), and fill the table of functions.
 * Returns 0; or -ENOENT with dlerror() in *why, valid until the next call, if the library is not
 * installed, is damaged, or lacks a required function. The table is written only on success. The
 * library's symbols are not visible to other libraries. The library is never unloaded, because
 * threads and handlers of vendors do not survive dlclose().
 */
int library_load(const char *file, const struct library_symbol *symbols, size_t n, void *table,
		 const char **why) MUST_CHECK;
