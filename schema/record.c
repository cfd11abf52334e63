/* SPDX-License-Identifier: BSD-3-Clause */
/* record.c - keys of a type, by name */
#include "schema/record.h"

#include <string.h>

int raw_key_find(const struct raw_type *t, const char *key)
{
	for (size_t i = 0; i < t->n_keys; i++)
		if (strcmp(t->key[i].name, key) == 0)
			return (int)i;
	return -1;
}
