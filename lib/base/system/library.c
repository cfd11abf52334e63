/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c - load an optional shared library */
#include "base/system/library.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define SYMBOLS_MAX 64

static void *open_library(const char *file, const char **why)
{
#ifdef STATIC_RUN	/* a static program can only load libraries of its own glibc */
	(void)file;
	*why = "a static program cannot load libraries";
	return NULL;
#else
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		*why = dlerror();
	return library;
#endif
}

int library_load(const char *file, const struct library_symbol *symbols, size_t n, void *table,
		 const char **why)
{
	void *found[SYMBOLS_MAX];
	assert(n <= SYMBOLS_MAX);
	void *library = open_library(file, why);
	if (!library)
		return -ENOENT;
	for (size_t i = 0; i < n; i++) {
		found[i] = dlsym(library, symbols[i].name);
		if (!found[i] && !symbols[i].optional) {
			*why = dlerror();
			return -ENOENT;
		}
	}
	for (size_t i = 0; i < n; i++)
		memcpy((char *)table + symbols[i].offset, &found[i], sizeof(found[i]));
	return 0;
}
