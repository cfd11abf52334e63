/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c - the table of collectors: one for each type */
#include "collectors/collector.h"

#include <string.h>

#define TYPE(name) extern const struct collector name##_collector;
#include "schema/types.inc"
#undef TYPE

const struct collector *const collectors[] = {
#define TYPE(name) &name##_collector,
#include "schema/types.inc"
#undef TYPE
};
const size_t n_collectors = ARRAY_SIZE(collectors);

const struct collector *collector_find(const char *name)
{
	for (size_t i = 0; i < n_collectors; i++)
		if (strcmp(types[i]->name, name) == 0)
			return collectors[i];
	return NULL;
}

uint64_t collector_needs(const struct collector *c)
{
	return c->needs | (c->holds != HOLDS_NOTHING ? PRIVILEGE_PERFMON : 0);
}
