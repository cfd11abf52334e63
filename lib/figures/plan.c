/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c - find the keys of a record type from which figures are computed ("plan") */
#include "figures/plan.h"

#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "schema/foreign.h"

static void plan_find_registers(struct plan *p)
{
	char ctl[] = "CTL0", ctr[] = "CTR0";

	for (size_t i = 0; i < PLAN_CTL; i++) {
		ctl[3] = ctr[3] = (char)('0' + i);
		p->ctl[i] = foreign_find(p->type, ctl);
		p->ctr[i] = foreign_find(p->type, ctr);
	}
}

/*
 * If the figure is a hardware event, find the counter that counts this event in the row. If .key of
 * the figure is "CTRn", check only this counter.
 */
int plan_key(const struct plan *p, const struct figure *f, const struct plan_column *c,
	     const struct record_row *row)
{
	if (!f->ctl_mask)
		return c->key;
	for (size_t i = 0; i < PLAN_CTL; i++) {
		int ctl = p->ctl[i], ctr = p->ctr[i];
		if (ctl < 0 || ctr < 0 || !row_has(row, (size_t)ctl))
			continue;
		if (c->key >= 0 && c->key != ctr)
			continue;
		if ((row->value[ctl] & f->ctl_mask) == f->ctl)
			return ctr;
	}
	return -1;
}

static void plan_fill_column(struct plan_column *c, const struct figure *f,
			     const struct record_type *t)
{
	c->scale = figure_scale(f, "", 1);
	if (f->ctl_mask && record_key_find(t, "CTR0") >= 0)
		c->bits = t->key[record_key_find(t, "CTR0")].bits;
	if (f->ctl_mask)
		/* a key such as "CTR0" is a counter; any other key is only a name for the event */
		c->key = record_key_find(t, f->key);
	else
		c->key = foreign_find(t, f->key);
	c->less[0] = foreign_find(t, f->less[0]);
	c->less[1] = foreign_find(t, f->less[1]);
	if ((f->less[0] && c->less[0] < 0) || (f->less[1] && c->less[1] < 0))
		c->key = -1;
	if (c->key < 0)
		return;
	const struct record_key *k = &t->key[c->key];
	c->scale = figure_scale(f, foreign_unit(k), k->scale);
	c->bits = record_key_bits(t, k);
}

static void plan_find_byte_keys(struct plan *p)
{
	static const char *const keys[][2] = {
		{ "tx_bytes" }, { "rd_sectors", "wr_sectors" }, { "server_read", "server_write" },
	};
	p->moved[0] = p->moved[1] = -1;
	for (size_t i = 0; i < ARRAY_SIZE(keys) && p->moved[0] < 0; i++)
		for (size_t k = 0; k < 2; k++)
			p->moved[k] = foreign_find(p->type, keys[i][k]);
}

void plan_init(struct plan *p, struct figures table, const struct record_type *type)
{
	size_t first, end;

	*p = (struct plan){ .type = type, .procs = strcmp(type->name, "proc") == 0 ||
						   strcmp(type->name, "host_proc") == 0 };
	if (!figures_of_type(table, str_of(type->name), &first, &end))
		return;
	p->first = first;
	p->n = end - first;
	p->column = xrealloc(NULL, p->n * sizeof(*p->column));
	memset(p->column, 0, p->n * sizeof(*p->column));
	for (size_t i = 0; i < p->n; i++) {
		plan_fill_column(&p->column[i], &table.row[first + i], type);
		p->compare |= table.row[first + i].once;
		p->events |= table.row[first + i].ctl_mask != 0;
	}
	if (p->events)
		plan_find_registers(p);
	if (p->compare)
		plan_find_byte_keys(p);
}

void plan_free(struct plan *p)
{
	free(p->column);
}

uint64_t plan_hash(const struct plan *p, const struct record_row *row, bool *moved)
{
	uint64_t h = 14695981039346656037u;
	*moved = false;
	for (size_t k = 0; k < 2; k++)
		*moved |= p->moved[k] >= 0 && row->value[p->moved[k]] > 0;
	for (size_t i = 0; i < p->type->n_keys; i++)
		h = (h ^ row->value[i]) * 1099511628211u;
	return h;
}
