/* SPDX-License-Identifier: BSD-3-Clause */
/* mapper_fill.c - from the sums of a moment to data blocks */
#include "monitor/mapper_fill.h"

#include <string.h>
#include "base/base.h"
#include "base/system/mounts.h"

static unsigned per(const struct mapper *m, size_t class, size_t item)
{
	for (size_t i = 0; i < n_mappings; i++)
		if (mappings[i].class == class && m->item[i] == item)
			return mappings[i].how == MAP_PAGES ? m->page_bytes / 1024 :
			       mappings[i].per ? mappings[i].per : 1;
	return 1;
}

static enum mapping_how how(const struct mapper *m, size_t class, size_t item)
{
	enum mapping_how found = MAP_SUM;
	for (size_t i = 0; i < n_mappings; i++)
		if (mappings[i].class == class && m->item[i] == item && mappings[i].how != MAP_LESS)
			found = mappings[i].how;
	return found;
}

/*
 * Milliseconds in queues, extended from the 32 bits in which they wrap, because readers of this
 * item divide them.
 */
static uint64_t queue(struct mapper *m, size_t class, size_t item, struct str device, uint64_t v)
{
	bool is_new;
	struct kept *k = mapper_kept(m, class, item, device, &is_new);
	if (!k)
		return v;
	k->total = is_new ? v : k->total + (uint32_t)(v - k->last);
	k->last = v;
	return k->total;
}

static uint64_t no_less(struct mapper *m, size_t class, size_t item, struct str device, uint64_t v)
{
	bool is_new;
	struct kept *k = mapper_kept(m, class, item, device, &is_new);
	if (!k)
		return v;
	if (is_new || v > k->last || k->last - v > k->last / 2)
		k->last = v;
	return k->last;
}

void mapper_items(struct mapper *m, struct vms_set *s, size_t block, struct element *e)
{
	const struct vms_class *c = &vms_classes[s->number];
	for (size_t i = 0; i < c->n_items; i++) {
		if (!(e->seen >> i & 1))
			continue;
		uint64_t v = e->sum[i];
		enum mapping_how h = how(m, s->number, i);
		if (h == MAP_QUEUE)
			v = queue(m, s->number, i, e->name, v);
		else if (h == MAP_KEPT)
			v = no_less(m, s->number, i, e->name, v);
		vms_set_number(s, block, i, v / per(m, s->number, i));
	}
}

/* Counts and levels that some element lacks are absent, and so is what has no row of the table. */
static void mark_absent(const struct elements *l, struct vms_set *s)
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

uint64_t mapper_number(struct str name)
{
	uint64_t v = 0;
	while (name.n && (str_peek(name) < '0' || str_peek(name) > '9'))
		name = str_skip(name, 1);
	return str_take_u64(&name, &v) ? v : 0;
}

static void fill_mode(struct vms_set *s, size_t block, const struct element *e)
{
	uint64_t number = mapper_number(e->name);
	vms_set_number(s, block, 0, number > 255 ? block % 256 : number);
}

static void fill_disk(struct vms_set *s, size_t block, const struct element *e)
{
	char name[256];
	if (!mount_path(name, sizeof(name), e->name))
		name[0] = '\0';
	size_t letters = strcspn(name, "0123456789");
	vms_set_text(s, block, 1, (struct str){ name, letters < 3 ? letters : 3 });
	vms_set_number(s, block, 2, mapper_number(str_of(name + letters)));
	vms_set_text(s, block, 5, str_of(name));
}

static void fill_port(struct vms_set *s, size_t block, const struct element *e)
{
	vms_set_text(s, block, 0, e->name);
}

static void fill_sums(struct mapper *m, struct vms_set *s)
{
	const struct vms_class *c = &vms_classes[s->number];
	size_t block = vms_set_block(s);
	for (size_t i = 0; i < c->n_items; i++)
		if (m->seen[s->number] >> i & 1)
			vms_set_number(s, block, i, m->sum[s->number][i] / per(m, s->number, i));
		else
			s->absent |= (uint16_t)(1u << i);
}

static void add_class(const struct mapper *m, struct moment *ret, size_t number)
{
	if (!(m->shown >> number & 1))
		return;
	ret->has |= 1u << number;
	ret->set[number].stamp = ret->stamp;
	ret->set[number].index = ret->index;
}

static void fill_devices(struct mapper *m, struct elements *l, struct vms_set *s,
			 void (*name)(struct vms_set *s, size_t block, const struct element *e))
{
	for (size_t i = 0; i < l->n; i++) {
		size_t block = vms_set_block(s);
		mapper_items(m, s, block, &l->e[i]);
		name(s, block, &l->e[i]);
	}
}

void mapper_fill(struct mapper *m, struct moment *ret)
{
	static void (*const names[])(struct vms_set *, size_t, const struct element *) = {
		NULL, fill_mode, fill_disk, fill_port,
	};
	struct elements *processes = &m->of[0], *cpus = &m->of[1];
	moment_clear(ret);
	memset(m->states, 0, sizeof(m->states));
	mapper_processes(m, processes, cpus->n ? cpus->n : 1, &ret->set[VMS_PROCESSES]);
	for (size_t i = 0; i < MAPPER_COMPONENTS; i++) {
		size_t number = mapping_components[i].class;
		struct vms_set *s = &ret->set[number];
		if (!mapper_wants(m, number) || m->of[i].n == 0)
			continue;
		if (names[i])
			fill_devices(m, &m->of[i], s, names[i]);
		mark_absent(&m->of[i], s);
		add_class(m, ret, number);
	}
	if (mapper_wants(m, VMS_STATES) && processes->n) {
		mapper_states(m, &ret->set[VMS_STATES]);
		add_class(m, ret, VMS_STATES);
	}
	for (size_t i = 0; i < VMS_CLASSES; i++) {
		if (!mapper_wants(m, i) || !m->seen[i])
			continue;
		fill_sums(m, &ret->set[i]);
		if (i == VMS_SYSTEM)
			mapper_system(m, cpus, &ret->set[i]);
		add_class(m, ret, i);
	}
}
