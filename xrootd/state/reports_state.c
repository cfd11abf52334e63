/* SPDX-License-Identifier: BSD-3-Clause */
/* reports_state.c - save and restore rows and totals of summary packets */
#include "xrootd/state/state_parts.h"

#include <string.h>
#include "xrootd/sums/reports_parts.h"

static void state_put_row(struct buf *b, const struct xrd_reports *r, const struct sums_row *row)
{
	wire_put(b, row->kind, 1);
	wire_put(b, (uint64_t)row->at, 8);
	buf_add(b, (struct str){ (const char *)&row->from, sizeof(row->from) });
	state_put_text(b, str_of(row->device));
	for (size_t i = 0; i < r->type[row->kind].n_metrics; i++)
		wire_put(b, row->value[i], 8);
}

static void state_take_row(struct wire *w, struct xrd_reports *r)
{
	struct sums_row row = { .kind = wire_u8(w) };
	row.at = state_take_time(w);
	struct str from = wire_bytes(w, sizeof(row.from)), device = state_take_text(w);
	w->bad |= row.kind >= REPORT_KINDS || !device.n ||
		  !str_copy(row.device, sizeof(row.device), device);
	if (w->bad)
		return;
	memcpy(&row.from, from.p, sizeof(row.from));
	for (size_t i = 0; i < r->type[row.kind].n_metrics; i++)
		row.value[i] = wire_u64(w);
	if (!w->bad)
		reports_keep_row(r, &row);
}

static void state_put_total(struct buf *b, const struct xrd_reports *r,
			    const struct report_total *t)
{
	wire_put(b, t->kind, 1);
	wire_put(b, (uint64_t)t->at, 8);
	buf_add(b, (struct str){ (const char *)&t->from, sizeof(t->from) });
	wire_put(b, t->tos, 8);
	wire_put(b, t->pid, 8);
	state_put_text(b, str_of(t->device));
	for (size_t i = 0; i < r->type[t->kind].n_metrics; i++) {
		wire_put(b, t->closed[i], 8);
		wire_put(b, t->last[i], 8);
	}
}

static void state_take_total(struct wire *w, struct xrd_reports *r)
{
	struct report_total t = { .kind = wire_u8(w) };
	t.at = state_take_time(w);
	struct str from = wire_bytes(w, sizeof(t.from));
	t.tos = wire_u64(w);
	t.pid = wire_u64(w);
	struct str device = state_take_text(w);
	w->bad |= t.kind >= REPORT_KINDS || !str_copy(t.device, sizeof(t.device), device);
	if (w->bad)
		return;
	memcpy(&t.from, from.p, sizeof(t.from));
	for (size_t i = 0; i < r->type[t.kind].n_metrics; i++) {
		t.closed[i] = wire_u64(w);
		t.last[i] = wire_u64(w);
	}
	if (!w->bad)
		reports_add_total(r, &t);
}

static uint32_t state_take_count(struct wire *w)
{
	uint32_t n = wire_u32(w);
	w->bad |= n > ROWS_MAX;
	return n;
}

void reports_put_state(struct buf *b, const struct xrd_reports *r)
{
	wire_put(b, REPORT_KINDS, 1);
	for (size_t i = 0; i < REPORT_KINDS; i++)
		wire_put(b, r->type[i].n_metrics, 1);
	wire_put(b, r->n, 4);
	for (size_t i = 0; i < r->n; i++)
		state_put_row(b, r, &r->row[i]);
	wire_put(b, (uint64_t)r->since, 8);
	wire_put(b, r->n_totals, 4);
	for (size_t i = 0; i < r->n_totals; i++)
		state_put_total(b, r, &r->total[i]);
}

void reports_take_state(struct wire *w, struct xrd_reports *r)
{
	w->bad |= wire_u8(w) != REPORT_KINDS;
	for (size_t i = 0; i < REPORT_KINDS && !w->bad; i++)
		w->bad |= wire_u8(w) != r->type[i].n_metrics;
	for (uint32_t n = state_take_count(w); n > 0 && !w->bad; n--)
		state_take_row(w, r);
	r->since = state_take_time(w);
	for (uint32_t n = state_take_count(w); n > 0 && !w->bad; n--)
		state_take_total(w, r);
}
