/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.c - figures of XRootD's summary packets: counters and gauges of one record */
#include "figures/packet.h"

#include <stdlib.h>
#include "figures/figures.h"

/*
 * The rows of a record type. The element of .device for each row says if sums over devices include
 * this device: sums must count each byte only once.
 */
struct packet_rows {
	const struct record_rows *rows;
	struct below_device *device;
};

static bool packet_read_key(const struct record_type *type, const struct record_row *row,
			    const char *key, uint64_t *v)
{
	int at = record_key_find(type, key);
	if (at < 0 || !row_has(row, (size_t)at))
		return false;
	*v = row->value[at];
	return true;
}

/*
 * Compute the value of a figure from a row, in the unit of its key. Returns false if the row lacks
 * a key of the figure.
 */
static bool packet_read_value(const struct figure *f, const struct record_type *type,
			      const struct record_row *row, uint64_t *v)
{
	uint64_t less;

	if (!packet_read_key(type, row, f->key, v))
		return false;
	for (int i = 0; i < 2 && f->less[i]; i++) {
		if (!packet_read_key(type, row, f->less[i], &less))
			return false;
		*v -= less < *v ? less : *v;
	}
	return true;
}

/*
 * Convert a value to the unit of the figure. A double is used only for a factor below 1, because a
 * double cannot hold all 64-bit numbers.
 */
static uint64_t packet_convert_unit(const struct figure *f, const struct record_type *type,
				    uint64_t v)
{
	const struct record_key *k = &type->key[record_key_find(type, f->key)];
	double scale = figure_scale(f, k->unit_name, k->scale);

	return scale >= 1 ? v * (uint64_t)scale : (uint64_t)((double)v * scale);
}

static bool packet_sum_figure(const struct figure *f, const struct packet_rows *p, uint64_t *ret)
{
	uint64_t sum = 0, v;
	bool any = false;

	for (size_t i = 0; i < p->rows->n; i++) {
		const struct record_row *row = &p->rows->row[i];
		if ((f->once && p->device[i].how != BELOW_COUNTS) ||
		    !figure_counts(f, row->device, STR("")) ||
		    !packet_read_value(f, p->rows->type, row, &v))
			continue;
		sum += v;
		any = true;
	}
	if (any)
		*ret = packet_convert_unit(f, p->rows->type, sum);
	return any;
}

static struct packet_rows packet_decide_rows(const struct record *r, const struct record_rows *rows)
{
	struct packet_rows p = { rows, xrealloc(NULL, (rows->n + 1) * sizeof(*p.device)) };

	for (size_t i = 0; i < rows->n; i++)
		p.device[i] = (struct below_device){ .name = rows->row[i].device };
	below_decide(r->below, str_of(rows->type->name), p.device, rows->n);
	return p;
}

static bool packet_has_figure(const struct figure *f, size_t n)
{
	while (n > 0 && !f[n - 1].packet)
		n--;
	return n > 0;
}

size_t packet_figures(const struct record *r, struct packet_figure ret[PACKET_FIGURES_MAX])
{
	const struct figures table = { figures, n_figures };
	size_t n = 0, first, end;

	for (size_t i = 0; i < r->n_types; i++) {
		const struct record_rows *rows = &r->rows[i];
		if (!figures_of_type(table, str_of(rows->type->name), &first, &end) ||
		    !packet_has_figure(figures + first, end - first))
			continue;
		struct packet_rows p = packet_decide_rows(r, rows);
		for (size_t k = first; k < end && n < PACKET_FIGURES_MAX; k++)
			if (figures[k].packet && packet_sum_figure(&figures[k], &p, &ret[n].value))
				ret[n++].name = figures[k].packet;
		free(p.device);
	}
	return n;
}
