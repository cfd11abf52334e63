/* SPDX-License-Identifier: BSD-3-Clause */
/* type.c - the table of types; types.inc is made from the list in schema.am */
#include "schema/type.h"

#include <string.h>

const struct type *const types[] = {
#define TYPE(name) &name##_type,
#include "schema/types.inc"
#undef TYPE
};
const size_t n_types = ARRAY_SIZE(types);

const struct type *type_find(const char *name)
{
	for (size_t i = 0; i < n_types; i++)
		if (strcmp(types[i]->name, name) == 0)
			return types[i];
	return NULL;
}

void type_put_where(const struct type *t, size_t key, struct buf *to)
{
	if (t->where)
		t->where(t, key, to);
	else if (t->metrics[key].key)
		buf_add(to, str_of(t->metrics[key].key));
}
