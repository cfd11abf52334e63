/* SPDX-License-Identifier: BSD-3-Clause */
/* mapper.c - the rows of a record are added up by item, as the table in mapping.c has it */
#include "monitor/mapper.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"

#define KEPT_MAX 65536	/* devices of which something is kept */

void mapper_init(struct mapper *m, uint32_t wanted, uint32_t page_bytes)
{
	*m = (struct mapper){ .shown = wanted, .wanted = wanted, .page_bytes = page_bytes };
	if (wanted & (1u << VMS_STATES | 1u << VMS_SYSTEM))
		m->wanted |= 1u << VMS_STATES | 1u << VMS_MODES;
	assert(n_mappings <= ARRAY_SIZE(m->item) && n_mapping_components == MAPPER_COMPONENTS);
	for (size_t i = 0; i < n_mappings; i++) {
		const struct vms_class *c = &vms_classes[mappings[i].class];
		m->item[i] = vms_item_find(c, str_of(mappings[i].item));
		assert(m->item[i] < c->n_items);
	}
}

void mapper_free(struct mapper *m)
{
	for (size_t i = 0; i < m->kept.cap; i++)
		if (m->kept.slot[i].hash) {
			free(((struct kept *)m->kept.slot[i].value.p)->name);
			free(m->kept.slot[i].value.p);
		}
	map_free(&m->kept);
	for (size_t i = 0; i < MAPPER_COMPONENTS; i++) {
		map_free(&m->of[i].by_name);
		free(m->of[i].e);
	}
	free(m->type);
	free(m->device);
}

void mapper_new_file(struct mapper *m)
{
	m->n_types = 0;
}

struct kept *mapper_kept(struct mapper *m, size_t class, size_t item, struct str device,
			 bool *is_new)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	buf_addf(&name, "%zu.%zu." STR_FMT, class, item, STR_ARG(device));
	uint64_t hash = map_hash(buf_str(&name));
	for (struct map_slot *at = NULL; (at = map_next(&m->kept, hash, at));) {
		struct kept *k = at->value.p;
		*is_new = false;
		if (str_eq(buf_str(&name), str_of(k->name)))
			return k;
	}
	if (m->kept.n >= KEPT_MAX)
		return NULL;
	struct kept *k = xrealloc(NULL, sizeof(*k));
	*k = (struct kept){ .name = xstrdup(buf_str(&name)) };
	map_add(&m->kept, hash, (union map_value){ .p = k });
	*is_new = true;
	return k;
}

static bool is_wanted(const struct mapper *m, size_t class)
{
	return m->wanted >> class & 1;
}

static const struct mapper_type *find_type(struct mapper *m, const struct record_type *type)
{
	for (size_t i = 0; i < m->n_types; i++)
		if (m->type[i].type == type)
			return &m->type[i];
	m->type = vec_reserve(m->type, &m->cap_types, m->n_types + 1, sizeof(*m->type));
	struct mapper_type *t = &m->type[m->n_types++];
	*t = (struct mapper_type){ .type = type };
	for (size_t i = 0; i < n_mappings && t->n < ARRAY_SIZE(t->key); i++) {
		const struct mapping *map = &mappings[i];
		int key = is_wanted(m, map->class) && map->how != MAP_OF &&
			  strcmp(map->type, type->name) == 0 ? record_key_find(type, map->key) : -1;
		if (key < 0)
			continue;
		t->key[t->n++] = (struct mapper_key){ (uint16_t)i, (int16_t)key };
		t->once |= map->how == MAP_ONCE;
	}
	return t;
}

static size_t component_of(size_t class)
{
	size_t i = 0;
	while (i < MAPPER_COMPONENTS && mapping_components[i].class != class)
		i++;
	return i;
}

static bool makes_blocks(const struct mapping_component *c, const char *type)
{
	return strcmp(c->type, type) == 0 || (c->also && strcmp(c->also, type) == 0);
}

static struct element *find_by_name(struct elements *l, struct str name)
{
	for (; l->n_named < l->n; l->n_named++)
		map_add(&l->by_name, map_hash(l->e[l->n_named].name),
			(union map_value){ .n = l->n_named });
	for (struct map_slot *at = NULL; (at = map_next(&l->by_name, map_hash(name), at));)
		if (str_eq(l->e[at->value.n].name, name)) {
			l->next = (size_t)at->value.n;
			return &l->e[l->next];
		}
	return NULL;
}

/* Several items are of one row, and rows of several types come in one order. */
static struct element *find_element(struct elements *l, struct str name)
{
	for (size_t at = l->next; at < l->n && at < l->next + 2; at++)
		if (str_eq(l->e[at].name, name)) {
			l->next = at;
			return &l->e[at];
		}
	return find_by_name(l, name);
}

/* New ones come at the end, without a search. */
static struct element *element_of(struct mapper *m, size_t class, const char *type,
				   const struct record_row *row)
{
	size_t c = component_of(class);
	struct elements *l = &m->of[c];
	if (!makes_blocks(&mapping_components[c], type))
		return l->n ? find_element(l, row->device) : NULL;
	if (l->n && str_eq(l->e[l->n - 1].name, row->device))
		return &l->e[l->n - 1];
	if (l->n >= VMS_ELEMENTS_MAX)
		return NULL;
	l->e = vec_reserve(l->e, &l->cap, l->n + 1, sizeof(*l->e));
	l->e[l->n] = (struct element){ .name = row->device };
	return &l->e[l->n++];
}

static void add_each(struct mapper *m, const struct mapping *map, size_t item,
		     const struct record_row *row, uint64_t value)
{
	struct element *e = element_of(m, map->class, map->type, row);
	if (!e)
		return;
	if (map->how == MAP_LESS) {
		e->sum[item] -= value < e->sum[item] ? value : e->sum[item];
		return;
	}
	e->sum[item] += value;
	e->seen |= (uint16_t)(1u << item);
}

static void add_value(struct mapper *m, size_t at, const struct record_row *row, int key,
		      unsigned scale)
{
	const struct mapping *map = &mappings[at];
	uint64_t value = row->value[key] * scale;
	size_t item = m->item[at];
	if (map->how == MAP_SUM || map->how == MAP_ONCE || map->how == MAP_PAGES) {
		m->sum[map->class][item] += value;
		m->seen[map->class] |= (uint16_t)(1u << item);
	} else if (map->how != MAP_STATE) {
		add_each(m, map, item, row, value);
	}
}

/* All that is known of a process, for its state and its numbers. */
static void take_process(struct mapper *m, const struct record_type *type,
			 const struct record_row *row)
{
	static const char *const names[] = {
		"state", "kernel", "swapped", "priority", "uid", "gid", "rss", "shared", "faults",
		"cpu",
	};
	struct elements *l = &m->of[component_of(VMS_PROCESSES)];
	struct element *e = l->n ? &l->e[l->n - 1] : NULL;
	if (!e || !str_eq(e->name, row->device))
		e = element_of(m, VMS_PROCESSES, type->name, row);
	for (size_t i = 0; e && i < ARRAY_SIZE(names); i++) {
		int key = record_key_find(type, names[i]);
		bool has = key >= 0 && row_has(row, (size_t)key);
		e->key[i] = has ? row->value[key] : UINT64_MAX;
	}
}

static void take_row(struct mapper *m, const struct mapper_type *t, const struct record_row *row,
		     bool counts)
{
	for (size_t i = 0; i < t->n; i++) {
		int key = t->key[i].key;
		if (!row_has(row, (size_t)key))
			continue;
		if (counts || mappings[t->key[i].row].how != MAP_ONCE)
			add_value(m, t->key[i].row, row, key, t->type->key[key].scale);
	}
	if (strcmp(t->type->name, "process") == 0 &&
	    (is_wanted(m, VMS_PROCESSES) || is_wanted(m, VMS_STATES)))
		take_process(m, t->type, row);
}

/* Of rows of one type: those on which no other one stands count. */
static void take_rows(struct mapper *m, const struct record *g, const struct record_rows *rows)
{
	const struct mapper_type *t = find_type(m, rows->type);
	struct str type = str_of(rows->type->name);
	bool once = t->once && below_has_rules(type) && g->below;
	if (once) {
		m->device = vec_reserve(m->device, &m->cap_devices, rows->n, sizeof(*m->device));
		for (size_t i = 0; i < rows->n; i++)
			m->device[i] = (struct below_device){ .name = rows->row[i].device };
		below_decide(g->below, type, m->device, rows->n);
	}
	for (size_t i = 0; i < rows->n; i++)
		take_row(m, t, &rows->row[i], !once || m->device[i].how == BELOW_COUNTS);
}

void mapper_take(struct mapper *m, const struct record *g, struct moment *ret)
{
	memset(m->sum, 0, sizeof(m->sum));
	memset(m->seen, 0, sizeof(m->seen));
	for (size_t i = 0; i < MAPPER_COMPONENTS; i++) {
		map_clear(&m->of[i].by_name);
		m->of[i].n = m->of[i].next = m->of[i].n_named = 0;
	}
	for (size_t i = 0; i < g->n_types; i++)
		take_rows(m, g, &g->rows[i]);
	mapper_fill(m, ret);
}
