/* SPDX-License-Identifier: BSD-3-Clause */
/* print_fleet.c - print the nodes that need attention: for people, for Nagios, as JSON */
#include "report/fleet/print_fleet.h"

#include "base/json.h"
#include "base/keys.h"
#include "base/plugin.h"
#include "base/utf8.h"

#define MINUTE_US 60000000
#define NAME_MOST 40	/* widest column for names */

static bool is_faulty(const struct fleet_node *n)
{
	for (size_t i = 0; i < FLEET_FAULTS; i++)
		if (n->fault[i].n)
			return true;
	return false;
}

int fleet_status(const struct fleet *f)
{
	return f->n == 0 ? STATUS_UNKNOWN : f->critical ? STATUS_CRITICAL :
	       f->faulty ? STATUS_WARNING : STATUS_OK;
}

static int widest_name(const struct fleet *f)
{
	size_t most = 0;
	for (size_t i = 0; i < f->n; i++) {
		size_t n = strlen(f->node[i].name);
		if (n > most && n <= NAME_MOST && is_faulty(&f->node[i]))
			most = n;
	}
	return (int)most;
}

static void fleet_put_node(struct buf *b, const struct fleet_node *n, int width)
{
	struct buf line CLEANUP(buf_free) = { 0 };
	const char *between = "  ";

	buf_addf(&line, "%-*s", width, n->name);
	for (size_t i = 0; i < FLEET_FAULTS; i++) {
		if (!n->fault[i].n)
			continue;
		buf_addf(&line, "%s" STR_FMT, between, STR_ARG(buf_str(&n->fault[i])));
		between = "; ";
	}
	utf8_make_printable(line.p, line.n);
	plugin_put_words(b, buf_str(&line));
	buf_add_char(b, '\n');
}

/* Return the age of the oldest last record of any node without a fault, in microseconds. */
static int64_t fleet_oldest(const struct fleet *f)
{
	int64_t most = 0;
	for (size_t i = 0; i < f->n; i++) {
		int64_t last = f->node[i].look.last_us;
		if (last && !is_faulty(&f->node[i]) && f->now_us - last > most)
			most = f->now_us - last;
	}
	return most;
}

static void fleet_put_counts(struct buf *b, const struct fleet *f)
{
	buf_addf(b, "%zu of %zu nodes need attention, %zu do not", f->faulty, f->n,
		 f->n - f->faulty);
	if (f->faulty < f->n) {
		buf_addf(b, " (last records up to %lld min old, limit ",
			 (long long)(fleet_oldest(f) / MINUTE_US));
		key_put_number(b, key_times, f->silent_us);
		buf_add_char(b, ')');
	}
	buf_addf(b, " | nodes=%zu;;;0 faulty=%zu;;;0\n", f->n, f->faulty);
}

void fleet_put_text(struct buf *b, const struct fleet *f)
{
	int width = widest_name(f);

	plugin_put_head(b, fleet_status(f));
	if (f->n == 0 && f->from.url)
		buf_addf(b, "no nodes: %s has no records\n", f->from.url);
	else if (f->n == 0)
		buf_addf(b, "no nodes: %s has no folder for any node\n", f->dir);
	else
		fleet_put_counts(b, f);
	for (size_t i = 0; i < f->n; i++)
		if (is_faulty(&f->node[i]))
			fleet_put_node(b, &f->node[i], width);
}

static void put_node_json(struct buf *b, const struct fleet_node *n)
{
	json_open(b, NULL, '{');
	json_str(b, "node", str_of(n->name));
	if (n->look.last_us)
		json_seconds(b, "last", n->look.last_us);
	json_open(b, "faults", '{');
	for (size_t i = 0; i < FLEET_FAULTS; i++)
		if (n->fault[i].n)
			json_str(b, fleet_rules[i].name, buf_str(&n->fault[i]));
	json_close(b, '}');
	json_close(b, '}');
}

void fleet_put_json(struct buf *b, const struct fleet *f)
{
	json_open(b, NULL, '{');
	json_int(b, "status", fleet_status(f));
	json_u64(b, "nodes", f->n);
	json_u64(b, "faulty", f->faulty);
	if (f->program)
		json_str(b, "program", str_of(f->program));
	json_open(b, "need", '[');
	for (size_t i = 0; i < f->n; i++)
		if (is_faulty(&f->node[i]))
			put_node_json(b, &f->node[i]);
	json_close(b, ']');
	json_u64(b, "schema", 1);
	json_close(b, '}');
	buf_add_char(b, '\n');
}
