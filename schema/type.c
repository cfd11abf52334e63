/* SPDX-License-Identifier: BSD-3-Clause */
/* type.c - the table of types; types.inc is generated from the list in schema.am */
#include "schema/type.h"

#include <string.h>
#include "base/json.h"

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

bool type_list_check(const struct key *k, const char *list, struct buf *why)
{
	struct str rest = str_of(list), item;
	char name[64];
	while (str_take_item(&rest, &item))
		if (!str_starts(item, STR("pmc_")) &&
		    (!str_copy(name, sizeof(name), item) || !type_find(name))) {
			buf_addf(why, "%s: unknown type \"" STR_FMT "\"; \"nodometer types\" lists "
				 "them", k->name, STR_ARG(item));
			return false;
		}
	return true;
}

void type_put_json(struct buf *b, const struct type *t)
{
	json_str(b, "summary", str_of(t->about));
	json_str(b, "device", str_of(t->device));
	json_str(b, "source", str_of(t->source));
}

void key_put_json(struct buf *b, const char *name, enum metric_kind kind, const char *unit,
		  unsigned bits, const char *help)
{
	json_str(b, "key", str_of(name));
	json_str(b, "kind", str_of(metric_kind_name(kind)));
	json_str(b, "unit", str_of(unit));
	json_u64(b, "bits", bits ? bits : 64);
	if (help)
		json_str(b, "help", str_of(help));
}
