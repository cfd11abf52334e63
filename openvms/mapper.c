/* SPDX-License-Identifier: BSD-3-Clause */
/* mapper.c - compute the data blocks of MONITOR from a record, using the table in mapping.c */
#include "openvms/mapper.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/system/mounts.h"
#include "schema/delta.h"

#define COUNTERS_MAX 65536	/* limit of the device counters that are kept between samples */

/* The state of a counter of one device, kept between samples. All zero is a new counter. */
struct mapper_counter {
	struct counter counter;
	/* the value to report is .start + .counter.total, modulo 2^64 */
	uint64_t start;
	char *name;
};

void mapper_init(struct mapper *m, uint32_t wanted, uint32_t page_bytes)
{
	*m = (struct mapper){ .shown = wanted, .wanted = mapping_add_sources(wanted),
			      .page_bytes = page_bytes };
	assert(n_mappings <= ARRAY_SIZE(m->item) && n_mapping_components == MAPPER_COMPONENTS);
	for (size_t i = 0; i < n_mappings; i++) {
		const struct vms_class *c = &vms_classes[mappings[i].class];
		m->item[i] = vms_item_find(c, str_of(mappings[i].item));
		assert(m->item[i] < c->n_items);
	}
}

void mapper_free(struct mapper *m)
{
	for (size_t i = 0; i < m->counters.cap; i++)
		if (m->counters.slot[i].hash) {
			free(((struct mapper_counter *)m->counters.slot[i].value.p)->name);
			free(m->counters.slot[i].value.p);
		}
	map_free(&m->counters);
	for (size_t i = 0; i < MAPPER_COMPONENTS; i++) {
		map_free(&m->of[i].by_name);
		free(m->of[i].e);
	}
	free(m->type);
	free(m->device);
}

static struct mapper_counter *mapper_find_counter(struct mapper *m, size_t class, size_t item,
					    struct str device,
			 bool *is_new)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	buf_addf(&name, "%zu.%zu." STR_FMT, class, item, STR_ARG(device));
	uint64_t hash = map_hash(buf_str(&name));
	for (struct map_slot *at = NULL; (at = map_next(&m->counters, hash, at));) {
		struct mapper_counter *k = at->value.p;
		*is_new = false;
		if (str_eq(buf_str(&name), str_of(k->name)))
			return k;
	}
	if (m->counters.n >= COUNTERS_MAX)
		return NULL;
	struct mapper_counter *k = xrealloc(NULL, sizeof(*k));
	*k = (struct mapper_counter){ .name = xstrdup(buf_str(&name)) };
	map_add(&m->counters, hash, (union map_value){ .p = k });
	*is_new = true;
	return k;
}

static bool mapper_wants_class(const struct mapper *m, size_t class)
{
	return m->wanted >> class & 1;
}

static const struct mapper_type *mapper_find_type(struct mapper *m, const struct record_type *type)
{
	for (size_t i = 0; i < m->n_types; i++)
		if (m->type[i].type == type)
			return &m->type[i];
	m->type = vec_reserve(m->type, &m->cap_types, m->n_types + 1, sizeof(*m->type));
	struct mapper_type *t = &m->type[m->n_types++];
	*t = (struct mapper_type){ .type = type };
	for (size_t i = 0; i < n_mappings && t->n < ARRAY_SIZE(t->key); i++) {
		const struct mapping *map = &mappings[i];
		int key = mapper_wants_class(m, map->class) && map->how != MAP_OF &&
			  strcmp(map->type, type->name) == 0 ? record_key_find(type, map->key) : -1;
		if (key < 0)
			continue;
		t->key[t->n++] = (struct mapper_key){ (uint16_t)i, (int16_t)key };
		t->once |= map->how == MAP_ONCE;
	}
	return t;
}

static size_t mapper_find_component(size_t class)
{
	size_t i = 0;
	while (i < MAPPER_COMPONENTS && mapping_components[i].class != class)
		i++;
	return i;
}

static bool mapper_makes_blocks(const struct mapping_component *c, const char *type)
{
	return strcmp(c->type, type) == 0 || (c->also && strcmp(c->also, type) == 0);
}

static struct element *mapper_find_by_name(struct elements *l, struct str name)
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

/*
 * Find an element by its name. Try the element found last and its successor first, because the rows
 * of most types are in the same order.
 */
static struct element *mapper_find_element(struct elements *l, struct str name)
{
	for (size_t at = l->next; at < l->n && at < l->next + 2; at++)
		if (str_eq(l->e[at].name, name)) {
			l->next = at;
			return &l->e[at];
		}
	return mapper_find_by_name(l, name);
}

/*
 * Find or add the element of a row. Only a type listed in mapping_components[] adds elements.
 * Returns NULL if the element is unknown, or if there are too many.
 */
static struct element *mapper_element_of_row(struct mapper *m, size_t class, const char *type,
				   const struct record_row *row)
{
	size_t c = mapper_find_component(class);
	struct elements *l = &m->of[c];
	if (!mapper_makes_blocks(&mapping_components[c], type))
		return l->n ? mapper_find_element(l, row->device) : NULL;
	if (l->n && str_eq(l->e[l->n - 1].name, row->device))
		return &l->e[l->n - 1];
	if (l->n >= VMS_ELEMENTS_MAX)
		return NULL;
	l->e = vec_reserve(l->e, &l->cap, l->n + 1, sizeof(*l->e));
	l->e[l->n] = (struct element){ .name = row->device };
	return &l->e[l->n++];
}

static void mapper_add_to_element(struct mapper *m, const struct mapping *map, size_t item,
				  const struct record_row *row, uint64_t value)
{
	struct element *e = mapper_element_of_row(m, map->class, map->type, row);
	if (!e)
		return;
	if (map->how == MAP_LESS) {
		e->sum[item] -= value < e->sum[item] ? value : e->sum[item];
		return;
	}
	e->sum[item] += value;
	e->seen |= (uint16_t)(1u << item);
}

static void mapper_add_value(struct mapper *m, size_t at, const struct record_row *row, int key,
			     unsigned scale)
{
	const struct mapping *map = &mappings[at];
	uint64_t value = row->value[key] * scale;
	size_t item = m->item[at];
	if (map->how == MAP_SUM || map->how == MAP_ONCE || map->how == MAP_PAGES) {
		m->sum[map->class][item] += value;
		m->seen[map->class] |= (uint16_t)(1u << item);
	} else if (map->how != MAP_STATE) {
		mapper_add_to_element(m, map, item, row, value);
	}
}

/* Store the values of a process that its data block needs, such as its state and user id. */
static void mapper_take_process(struct mapper *m, const struct record_type *type,
				const struct record_row *row)
{
	static const char *const names[] = {
		"state", "kernel", "swapped", "priority", "uid", "gid", "rss", "shared", "faults",
		"cpu",
	};
	struct elements *l = &m->of[mapper_find_component(VMS_PROCESSES)];
	struct element *e = l->n ? &l->e[l->n - 1] : NULL;
	if (!e || !str_eq(e->name, row->device))
		e = mapper_element_of_row(m, VMS_PROCESSES, type->name, row);
	for (size_t i = 0; e && i < ARRAY_SIZE(names); i++) {
		int key = record_key_find(type, names[i]);
		bool has = key >= 0 && row_has(row, (size_t)key);
		e->key[i] = has ? row->value[key] : UINT64_MAX;
	}
}

static void mapper_take_row(struct mapper *m, const struct mapper_type *t,
			    const struct record_row *row,
			    bool counts)
{
	for (size_t i = 0; i < t->n; i++) {
		int key = t->key[i].key;
		if (!row_has(row, (size_t)key))
			continue;
		if (counts || mappings[t->key[i].row].how != MAP_ONCE)
			mapper_add_value(m, t->key[i].row, row, key, t->type->key[key].scale);
	}
	if (strcmp(t->type->name, "process") == 0 &&
	    (mapper_wants_class(m, VMS_PROCESSES) || mapper_wants_class(m, VMS_STATES)))
		mapper_take_process(m, t->type, row);
}

/*
 * Add the rows of one type. MAP_ONCE leaves out devices that are built on other devices, such as
 * bonds.
 */
static void mapper_take_rows(struct mapper *m, const struct record *g,
			     const struct record_rows *rows)
{
	const struct mapper_type *t = mapper_find_type(m, rows->type);
	struct str type = str_of(rows->type->name);
	bool once = t->once && below_has_rules(type) && g->below;
	if (once) {
		m->device = vec_reserve(m->device, &m->cap_devices, rows->n, sizeof(*m->device));
		for (size_t i = 0; i < rows->n; i++)
			m->device[i] = (struct below_device){ .name = rows->row[i].device };
		below_decide(g->below, type, m->device, rows->n);
	}
	for (size_t i = 0; i < rows->n; i++)
		mapper_take_row(m, t, &rows->row[i], !once || m->device[i].how == BELOW_COUNTS);
}

static unsigned mapper_divisor(const struct mapper *m, size_t class, size_t item)
{
	for (size_t i = 0; i < n_mappings; i++)
		if (mappings[i].class == class && m->item[i] == item)
			return mappings[i].how == MAP_PAGES ? m->page_bytes / 1024 :
			       mappings[i].per ? mappings[i].per : 1;
	return 1;
}

static enum mapping_how mapper_how_of_item(const struct mapper *m, size_t class, size_t item)
{
	enum mapping_how found = MAP_SUM;
	for (size_t i = 0; i < n_mappings; i++)
		if (mappings[i].class == class && m->item[i] == item && mappings[i].how != MAP_LESS)
			found = mappings[i].how;
	return found;
}

/*
 * Extend the reading v of a counter of `bits` bits to 64 bits, so that the result does not wrap. A
 * small decrease of the readings leaves the result unchanged.
 */
static uint64_t mapper_follow_counter(struct mapper *m, size_t class, size_t item,
				      struct str device, uint64_t v,
				      unsigned bits)
{
	bool is_new;
	struct mapper_counter *k = mapper_find_counter(m, class, item, device, &is_new);
	if (!k)
		return v;
	if (is_new)
		k->start = v;
	struct counter before = k->counter;
	counter_add(&k->counter, v, bits);
	if (k->counter.steps[DELTA_RESET] > before.steps[DELTA_RESET])
		k->start = -before.total;
	return k->start + k->counter.total;
}

static void mapper_fill_items(struct mapper *m, struct vms_set *s, size_t block, struct element *e)
{
	const struct vms_class *c = &vms_classes[s->number];
	for (size_t i = 0; i < c->n_items; i++) {
		if (!(e->seen >> i & 1))
			continue;
		uint64_t v = e->sum[i];
		enum mapping_how h = mapper_how_of_item(m, s->number, i);
		if (h == MAP_QUEUE)
			v = mapper_follow_counter(m, s->number, i, e->name, v, 32);
		else if (h == MAP_KEPT)
			v = mapper_follow_counter(m, s->number, i, e->name, v, 64);
		vms_set_number(s, block, i, v / mapper_divisor(m, s->number, i));
	}
}

/* Mark each count or level that one of the elements lacks as absent for the whole class. */
static void mapper_mark_absent(const struct elements *l, struct vms_set *s)
{
	const struct vms_class *c = &vms_classes[s->number];
	uint16_t all = l->n ? UINT16_MAX : 0;
	for (size_t i = 0; i < l->n; i++)
		all &= l->e[i].seen;
	for (size_t i = 0; i < c->n_items; i++)
		if ((c->item[i].kind == VMS_COUNT || c->item[i].kind == VMS_AMOUNT) &&
		    !(all >> i & 1))
			s->absent |= (uint16_t)(1u << i);
}

static uint64_t mapper_first_number(struct str name)
{
	uint64_t v = 0;
	while (name.n && (str_peek(name) < '0' || str_peek(name) > '9'))
		name = str_skip(name, 1);
	return str_take_u64(&name, &v) ? v : 0;
}

/* Indexes into element.key. The value UINT64_MAX means that the key was not read. */
enum { STATE, KERNEL, SWAPPED, PRIORITY, UID, GID, RSS, SHARED };

/* Indexes of states in class STATES. In class PROCESSES, the number of a state is its index + 1. */
enum { MWAIT = 1, LEF = 4, LEFO, HIB, HIBO, SUSP, SUSPO, COM = 11, COMO, CUR };

#define NO_ID 0xFFFF		/* replaces a user or group id that does not fit into 16 bits */
#define RESIDENT 1		/* process is in memory (PCB$V_RES of OpenVMS) */

/*
 * Convert a Linux process state such as R, S, I, D or T to an index in class STATES. *running
 * counts the processes in state CUR so far, of which there is at most one per CPU. Returns -1 if
 * the process has ended.
 */
static int mapper_state_of(const struct element *e, uint64_t *running, uint64_t cpus)
{
	bool kernel = e->key[KERNEL] == 1, out = e->key[SWAPPED] == 1;
	switch (e->key[STATE]) {
	case 'R':
		if (*running < cpus && !out) {
			++*running;
			return CUR;
		}
		return COM + out;
	case 'S':
		return kernel ? HIB : LEF + out;
	case 'I': case 'P':
		return HIB + out;
	case 'D':
		return MWAIT;
	case 'T': case 't':
		return SUSP + out;
	}
	return -1;
}

static uint64_t mapper_uic(const struct element *e)
{
	uint64_t uid = e->key[UID] < NO_ID ? e->key[UID] : NO_ID;
	uint64_t gid = e->key[GID] < NO_ID ? e->key[GID] : NO_ID;
	return gid << 16 | uid;
}

static void mapper_fill_process(struct vms_set *s, struct element *e, int state, struct mapper *m)
{
	struct str name = e->name, pid;
	char text[64];
	if (!str_take_until(&name, '/', &pid) || !mount_path(text, sizeof(text), name))
		return;
	size_t block = vms_set_block(s);
	uint64_t number = mapper_first_number(pid);
	mapper_fill_items(m, s, block, e);
	vms_set_number(s, block, 0, number);
	vms_set_number(s, block, 1, mapper_uic(e));
	vms_set_number(s, block, 2, (uint64_t)state + 1);
	vms_set_text(s, block, 4, str_of(text));
	vms_set_number(s, block, 7, e->key[RSS] != UINT64_MAX && e->key[RSS] ? RESIDENT : 0);
	vms_set_number(s, block, 12, number);
}

/*
 * Drop the processes that ended during the sample; classes PROCESSES and STATES must not have them.
 * The collector reads type process_io after type process: if nearly all processes have both types,
 * a process without process_io has ended.
 */
static void mapper_drop_ended(struct elements *l)
{
	uint16_t io = 0;
	size_t with = 0, kept = 0;
	for (size_t i = 0; i < l->n; i++)
		io |= l->e[i].seen;
	for (size_t i = 0; i < l->n; i++)
		with += l->e[i].seen == io;
	for (size_t i = 0; i < l->n; i++)
		if (with < l->n - l->n / 8 || l->e[i].seen == io)
			l->e[kept++] = l->e[i];
	l->n = kept;
}

static void mapper_fill_processes(struct mapper *m, struct elements *l, uint64_t cpus,
				  struct vms_set *s)
{
	uint64_t running = 0;
	size_t there = 0;
	mapper_drop_ended(l);
	for (size_t i = 0; i < l->n; i++) {
		int state = mapper_state_of(&l->e[i], &running, cpus);
		if (state < 0)
			continue;
		m->states[state]++;
		l->e[there] = l->e[i];
		if (mapper_wants_class(m, VMS_PROCESSES))
			mapper_fill_process(s, &l->e[there], state, m);
		there++;
	}
	l->n = there;
}

static void mapper_fill_states(struct mapper *m, struct vms_set *s)
{
	size_t block = vms_set_block(s);
	/* states that Linux does not have: COLPG, CEF, PFW, FPG */
	s->absent = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 10;
	for (size_t i = 0; i < ARRAY_SIZE(m->states); i++)
		vms_set_number(s, block, i, m->states[i]);
}

static void mapper_fill_system(struct mapper *m, const struct elements *cpus, struct vms_set *s)
{
	uint64_t busy = 0, all = 0;
	const struct vms_class *modes = &vms_classes[VMS_MODES];
	for (size_t i = 0; i < cpus->n; i++)
		for (size_t k = 1; k + 1 < modes->n_items; k++)
			busy += cpus->e[i].sum[k];
	for (size_t i = 0; i < ARRAY_SIZE(m->states); i++)
		all += m->states[i];
	uint64_t others = m->states[CUR] + m->states[SUSP] + m->states[SUSPO];
	if (cpus->n) {
		vms_set_number(s, 0, 0, busy);
		s->absent &= (uint16_t)~1u;
	}
	if (all) {
		vms_set_number(s, 0, 1, others);
		vms_set_number(s, 0, 2, all);
		s->absent &= (uint16_t)~6u;
	}
}

static void mapper_fill_mode(struct vms_set *s, size_t block, const struct element *e)
{
	uint64_t number = mapper_first_number(e->name);
	vms_set_number(s, block, 0, number > 255 ? block % 256 : number);
}

static void mapper_fill_disk(struct vms_set *s, size_t block, const struct element *e)
{
	char name[256];
	if (!mount_path(name, sizeof(name), e->name))
		name[0] = '\0';
	size_t letters = strcspn(name, "0123456789");
	vms_set_text(s, block, 1, (struct str){ name, letters < 3 ? letters : 3 });
	vms_set_number(s, block, 2, mapper_first_number(str_of(name + letters)));
	vms_set_text(s, block, 5, str_of(name));
}

static void mapper_fill_port(struct vms_set *s, size_t block, const struct element *e)
{
	vms_set_text(s, block, 0, e->name);
}

static void mapper_fill_sums(struct mapper *m, struct vms_set *s)
{
	const struct vms_class *c = &vms_classes[s->number];
	size_t block = vms_set_block(s);
	for (size_t i = 0; i < c->n_items; i++)
		if (m->seen[s->number] >> i & 1)
			vms_set_number(s, block, i,
				       m->sum[s->number][i] / mapper_divisor(m, s->number, i));
		else
			s->absent |= (uint16_t)(1u << i);
}

static void mapper_add_class(const struct mapper *m, struct monitor_moment *ret, size_t number)
{
	if (!(m->shown >> number & 1))
		return;
	ret->has |= 1u << number;
	ret->set[number].stamp = ret->stamp;
	ret->set[number].index = ret->index;
}

static void mapper_fill_devices(struct mapper *m, struct elements *l, struct vms_set *s,
				void (*name)(struct vms_set *s, size_t block,
					     const struct element *e))
{
	for (size_t i = 0; i < l->n; i++) {
		size_t block = vms_set_block(s);
		mapper_fill_items(m, s, block, &l->e[i]);
		name(s, block, &l->e[i]);
	}
}

static void mapper_fill_classes(struct mapper *m, struct monitor_moment *ret)
{
	static void (*const names[])(struct vms_set *, size_t, const struct element *) = {
		NULL, mapper_fill_mode, mapper_fill_disk, mapper_fill_port,
	};
	struct elements *processes = &m->of[0], *cpus = &m->of[1];
	moment_clear(ret);
	memset(m->states, 0, sizeof(m->states));
	mapper_fill_processes(m, processes, cpus->n ? cpus->n : 1, &ret->set[VMS_PROCESSES]);
	for (size_t i = 0; i < MAPPER_COMPONENTS; i++) {
		size_t number = mapping_components[i].class;
		struct vms_set *s = &ret->set[number];
		if (!mapper_wants_class(m, number) || m->of[i].n == 0)
			continue;
		if (names[i])
			mapper_fill_devices(m, &m->of[i], s, names[i]);
		mapper_mark_absent(&m->of[i], s);
		mapper_add_class(m, ret, number);
	}
	if (mapper_wants_class(m, VMS_STATES) && processes->n) {
		mapper_fill_states(m, &ret->set[VMS_STATES]);
		mapper_add_class(m, ret, VMS_STATES);
	}
	for (size_t i = 0; i < VMS_CLASSES; i++) {
		if (!mapper_wants_class(m, i) || !m->seen[i])
			continue;
		mapper_fill_sums(m, &ret->set[i]);
		if (i == VMS_SYSTEM)
			mapper_fill_system(m, cpus, &ret->set[i]);
		mapper_add_class(m, ret, i);
	}
}

void mapper_take(struct mapper *m, const struct record *g, struct monitor_moment *ret)
{
	memset(m->sum, 0, sizeof(m->sum));
	memset(m->seen, 0, sizeof(m->seen));
	for (size_t i = 0; i < MAPPER_COMPONENTS; i++) {
		map_clear(&m->of[i].by_name);
		m->of[i].n = m->of[i].next = m->of[i].n_named = 0;
	}
	for (size_t i = 0; i < g->n_types; i++)
		mapper_take_rows(m, g, &g->rows[i]);
	mapper_fill_classes(m, ret);
}
