/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c - the table of collectors; registry.inc is made from the list in collectors.am */
#include "collectors/collector.h"

#include <string.h>

#define COLLECTOR(name) extern const struct collector name##_collector;
#include "collectors/registry.inc"
#undef COLLECTOR

const struct collector *const collectors[] = {
#define COLLECTOR(name) &name##_collector,
#include "collectors/registry.inc"
#undef COLLECTOR
};
const size_t n_collectors = ARRAY_SIZE(collectors);

const struct collector *collector_find(const char *name)
{
	for (size_t i = 0; i < n_collectors; i++)
		if (strcmp(collectors[i]->name, name) == 0)
			return collectors[i];
	return NULL;
}

void collector_put_where(const struct collector *c, size_t key, struct buf *to)
{
	if (c->where)
		c->where(c, key, to);
	else if (c->metrics[key].key)
		buf_add(to, str_of(c->metrics[key].key));
}
