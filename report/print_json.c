/* SPDX-License-Identifier: BSD-3-Clause */
/* print_json.c - a job report for programs: one JSON object, numbers unrounded */
#include "report/print.h"

#include <inttypes.h>
#include <math.h>
#include "base/buf.h"
#include "formats/json.h"
#include "report/totals.h"

static const char *const how_names[] = {
	[FIGURE_COUNTED] = "counted",
	[FIGURE_SHARE]   = "share",
	[FIGURE_PEAK]    = "peak",
	[FIGURE_MEAN]    = "mean",
	[FIGURE_ADDED]   = "added",
};

static const char *const unit_names[] = {
	[UNIT_COUNT]   = "",
	[UNIT_BYTES]   = "B",
	[UNIT_SECONDS] = "s",
	[UNIT_JOULES]  = "J",
};

static void key(struct buf *b, const char *name)
{
	json_put_string(b, str_of(name));
	buf_add_char(b, ':');
}

static void put_string(struct buf *b, const char *name, const char *value)
{
	key(b, name);
	json_put_string(b, str_of(value));
	buf_add_char(b, ',');
}

static void put_number(struct buf *b, const char *name, double v)
{
	key(b, name);
	if (isfinite(v))
		json_put_double(b, v);
	else
		buf_add(b, STR("null"));
	buf_add_char(b, ',');
}

/* Seconds come in parts no finer than this; adding them up must not show. */
static void put_value(struct buf *b, const char *name, enum figure_unit unit, double v)
{
	put_number(b, name, unit == UNIT_SECONDS ? round(v * 1e9) / 1e9 : v);
}

static void put_count(struct buf *b, const char *name, uint64_t v)
{
	key(b, name);
	buf_addf(b, "%" PRIu64 ",", v);
}

static void put_bool(struct buf *b, const char *name, bool v)
{
	key(b, name);
	buf_addf(b, "%s,", v ? "true" : "false");
}

/* Seconds since the epoch, or of a duration, with all six decimals that there are. */
static void put_time(struct buf *b, const char *name, int64_t usec)
{
	int64_t size = usec < 0 ? -usec : usec;

	key(b, name);
	buf_addf(b, "%s%" PRId64 ".%06" PRId64 ",", usec < 0 ? "-" : "", size / 1000000,
		 size % 1000000);
}

/* Ends an object or a list: the comma behind its last member goes. */
static void put_end(struct buf *b, char c)
{
	if (b->n > 0 && b->p[b->n - 1] == ',')
		b->n--;
	buf_add_char(b, c);
	buf_add_char(b, ',');
}

static void put_inferred(struct buf *b, const struct total *t)
{
	key(b, "inferred");
	buf_add_char(b, '{');
	put_number(b, "amount", t->inferred);
	put_number(b, "percent", t->inferred_share);
	put_count(b, "count", steps_inferred(t->steps));
	for (int h = DELTA_WRAPPED; h < DELTA_HOWS; h++)
		put_count(b, delta_how_name((enum delta_how)h), t->steps[h]);
	put_end(b, '}');
}

static void put_whole(struct buf *b, const struct report *r, const struct figure *f,
		      const struct total *t)
{
	double seconds = (double)(r->end - r->start) / 1e6;

	if (f->how == FIGURE_SHARE) {
		put_value(b, "total", f->unit, t->seconds);
		put_number(b, "percent", t->n);
	} else if (f->how == FIGURE_COUNTED || f->how == FIGURE_ADDED) {
		put_value(b, "total", f->unit, t->n);
		if (seconds > 0)
			put_number(b, "per_second", t->n / seconds);
	}
}

static void put_figure(struct buf *b, const struct report *r, const struct figure *f,
		       const struct total *t)
{
	buf_add_char(b, '{');
	put_string(b, "figure", figure_id(f).s);
	put_string(b, "section", f->section);
	put_string(b, "label", f->label);
	put_string(b, "how", how_names[f->how]);
	put_string(b, "unit", unit_names[f->unit]);
	put_count(b, "nodes", t->nodes);
	put_count(b, "nodes_saturated", t->saturated);
	if (t->nodes > 0) {
		put_whole(b, r, f, t);
		put_number(b, "mean", t->mean);
		put_number(b, "min", t->min);
		put_string(b, "min_node", r->node[t->min_node].name);
		put_number(b, "max", t->max);
		put_string(b, "max_node", r->node[t->max_node].name);
		put_number(b, "imbalance_percent", t->imbalance);
	}
	if (figure_is_counter(f)) {
		put_inferred(b, t);
		put_count(b, "devices_late", t->late);
		put_count(b, "devices_gone", t->gone);
		put_count(b, "devices_reopened", t->reopened);
	}
	put_end(b, '}');
}

static void put_node_figures(struct buf *b, const struct node *n)
{
	key(b, "figures");
	buf_add_char(b, '{');
	for (size_t i = 0; i < n_figures; i++) {
		const struct value *v = &n->value[i];
		if (v->saturated > 0) {
			key(b, figure_id(&figures[i]).s);
			buf_add(b, STR("null,"));
		} else if (v->seen) {
			put_value(b, figure_id(&figures[i]).s, figures[i].unit,
				  value_of(&figures[i], v));
		}
	}
	put_end(b, '}');
	key(b, "peak_at");
	buf_add_char(b, '{');
	for (size_t i = 0; i < n_figures; i++)
		if (figures[i].how == FIGURE_PEAK && n->value[i].seen)
			put_time(b, figure_id(&figures[i]).s, n->value[i].at);
	put_end(b, '}');
}

static void put_node(struct buf *b, const struct node *n)
{
	buf_add_char(b, '{');
	put_string(b, "host", n->name);
	put_time(b, "start", n->start);
	put_time(b, "end", n->end);
	put_time(b, "duration", n->usec);
	put_count(b, "runs", n->runs);
	put_count(b, "boots", n->boots);
	put_count(b, "clock_set_back", n->set_back);
	put_count(b, "counters_released", n->released);
	put_bool(b, "begin_mark", n->no_begin == 0);
	put_bool(b, "end_mark", n->no_end == 0);
	put_bool(b, "open", n->open);
	put_count(b, "samples", n->samples);
	put_count(b, "samples_shared", n->shared);
	put_count(b, "samples_before_begin", n->before);
	put_time(b, "interval", n->interval);
	put_count(b, "gaps", n->gaps);
	put_time(b, "longest_gap", n->longest);
	put_count(b, "bad_lines", n->bad_lines);
	put_count(b, "torn_files", n->torn);
	put_count(b, "rows_of_too_many_devices", n->devices_left_out);
	put_node_figures(b, n);
	put_end(b, '}');
}

static void put_procs(struct buf *b, const struct report *r)
{
	key(b, "processes");
	buf_add_char(b, '[');
	for (size_t i = 0; i < r->procs.n; i++) {
		const struct proc *p = &r->procs.proc[i];
		buf_add_char(b, '{');
		put_string(b, "name", p->name);
		put_count(b, "VmHWM", p->hwm);
		put_count(b, "VmRSS", p->rss);
		put_count(b, "Threads", p->threads);
		put_string(b, "host", r->node[p->node].name);
		put_end(b, '}');
	}
	put_end(b, ']');
}

static void put_head(struct buf *b, const struct report *r)
{
	size_t samples = 0, gaps = 0;

	for (size_t i = 0; i < r->n; i++) {
		samples += r->node[i].samples;
		gaps += r->node[i].gaps;
	}
	if (r->job)
		put_string(b, "job", r->job);
	else
		buf_add(b, STR("\"job\":null,"));
	if (r->device)
		put_string(b, "device", r->device);
	put_count(b, "nodes", r->n);
	put_time(b, "start", r->start);
	put_time(b, "end", r->end);
	put_time(b, "duration", r->end - r->start);
	put_count(b, "samples", samples);
	put_count(b, "gaps", gaps);
	put_count(b, "files_unreadable", r->unreadable);
}

void print_json(FILE *out, const struct report *r)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct total t;

	buf_add_char(&b, '{');
	put_head(&b, r);
	key(&b, "figures");
	buf_add_char(&b, '[');
	for (size_t i = 0; i < n_figures; i++)
		if (total_of(r, i, &t))
			put_figure(&b, r, &figures[i], &t);
	put_end(&b, ']');
	put_procs(&b, r);
	key(&b, "hosts");
	buf_add_char(&b, '[');
	for (size_t i = 0; i < r->n; i++)
		put_node(&b, &r->node[i]);
	put_end(&b, ']');
	put_end(&b, '}');
	b.n--;
	fwrite(b.p, 1, b.n, out);
	fputc('\n', out);
}
