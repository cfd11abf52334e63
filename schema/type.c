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

bool type_is_listed(struct str list, struct str name)
{
	struct str item;
	if (!list.n)
		return !str_eq(name, STR("proc"));
	while (str_take_item(&list, &item))
		if (str_eq(item, name))
			return true;
	return false;
}

bool type_list_is_known(struct str list, struct str *bad)
{
	char name[64];
	while (str_take_item(&list, bad))
		if (!str_starts(*bad, STR("pmc_")) &&
		    (!str_copy(name, sizeof(name), *bad) || !type_find(name)))
			return false;
	return true;
}
