/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registry.c - the list of all sinks, which is generated from sinks.am, and the parsing of their
 * keys
 */
#include "sinks/sink.h"

#include "schema/type.h"

#define SINK(name) extern const struct sink name##_sink;
#include "sinks/registry.inc"
#undef SINK

const struct sink *const sinks[] = {
#define SINK(name) &name##_sink,
#include "sinks/registry.inc"
#undef SINK
};
const size_t n_sinks = ARRAY_SIZE(sinks);

const struct sink *sink_find(struct str name)
{
	for (size_t i = 0; i < n_sinks; i++)
		if (str_eq(name, str_of(sinks[i]->name)))
			return sinks[i];
	return NULL;
}

bool sink_take_label(struct str *labels, struct str *name, struct str *value)
{
	struct str word;
	if (!str_take_item(labels, &word) || !str_take_until(&word, '=', name))
		return false;
	*value = word;
	return true;
}

bool sink_drops(const struct sink_node *n, struct str type, struct str key)
{
	struct str list = str_of(n->drop), item;
	while (str_take_item(&list, &item))
		if (str_take_prefix(&item, type) &&
		    (key.n ? str_take_prefix(&item, STR(".")) && str_eq(item, key) : !item.n))
			return true;
	return false;
}

bool sink_wants(const struct sink_node *n, struct str type)
{
	return type_is_listed(str_of(n->types), type) && !sink_drops(n, type, STR(""));
}
