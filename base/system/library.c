/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c - a shared library that is used where it is installed, and never needed */
#include "base/system/library.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define SYMBOLS_MAX 64

int library_load(const char *file, const struct library_symbol *symbols, size_t n, void *table,
		 const char **why)
{
	void *found[SYMBOLS_MAX];
	assert(n <= SYMBOLS_MAX);
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		*why = dlerror();
		return -ENOENT;
	}
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
