/* SPDX-License-Identifier: BSD-3-Clause */
/* print_json.c - print a moment of the node as one JSON object */
#include <math.h>
#include <stdlib.h>
#include "base/json.h"
#include "top/view.h"

static void top_json_put_number(struct buf *b, const char *name, double v)
{
	if (!isnan(v))
		json_double(b, name, v);
}

static void put_sums(const struct top_view *v, struct buf *b, const struct top_type *t)
{
	json_open(b, t->name, '{');
	json_u64(b, "devices", top_moment_count(v->now, t->name));
	for (size_t i = 0; i < TOP_KEYS && t->key[i].key; i++)
		top_json_put_number(b, t->key[i].key,
				    top_moment_sum(v->now, t->name, t->key[i].key));
	json_close(b, '}');
}

static void top_json_put_devices(const struct top_view *v, struct buf *b, const struct top_type *t)
{
	const struct top_device **list = xrealloc(NULL, (v->now->n + 1) * sizeof(*list));
	size_t n = top_view_list(v, t, list);
	if (n)
		json_open(b, t->name, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(b, NULL, '{');
		json_str(b, "device", str_of(list[i]->name));
		for (size_t k = 0; k < TOP_KEYS && t->key[k].key; k++)
			top_json_put_number(b, t->key[k].key, list[i]->now[k]);
		json_close(b, '}');
	}
	if (n)
		json_close(b, ']');
	free(list);
}

static void top_json_put_agent(const struct top_agent *a, struct buf *b)
{
	if (!a->runs)
		return;
	json_open(b, "agent", '{');
	json_u64(b, "pid", a->pid);
	json_bool(b, "samples", a->samples);
	top_json_put_number(b, "cpus", a->cpus);
	top_json_put_number(b, "rss", a->rss);
	json_seconds(b, "interval", a->interval_us);
	if (a->last_us)
		json_seconds(b, "last", a->last_us);
	json_u64(b, "missed", a->missed);
	json_open(b, "jobs", '[');
	for (size_t i = 0; i < a->n; i++) {
		json_open(b, NULL, '{');
		json_str(b, "id", a->job[i].id);
		json_seconds(b, "since", a->job[i].since_us);
		json_close(b, '}');
	}
	json_close(b, ']');
	json_close(b, '}');
}

void top_view_put_json(const struct top_view *v, struct buf *b)
{
	json_open(b, NULL, '{');
	json_seconds(b, "time", v->now->usec);
	json_str(b, "host", str_of(v->host));
	top_json_put_number(b, "seconds", v->now->seconds);
	for (size_t i = 0; i < n_top_types; i++)
		(top_types[i].sums ? put_sums : top_json_put_devices)(v, b, &top_types[i]);
	top_json_put_agent(v->agent, b);
	json_u64(b, "schema", 1);
	json_close(b, '}');
	buf_add_char(b, '\n');
}
