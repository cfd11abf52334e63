/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_json.c - the report on recorded operations as a JSON object */
#include "base/json.h"
#include "filetrace/mount/trace_forms.h"

static void trace_json_put_percentiles(struct buf *b, const char *name, const struct histogram *h)
{
	json_open(b, name, '{');
	for (size_t i = 0; i < TRACE_PERCENTILES; i++)
		json_u64(b, trace_percentiles[i].name,
			 histogram_percentile(h, trace_percentiles[i].percent));
	json_u64(b, "least", h->least);
	json_u64(b, "largest", h->most);
	json_close(b, '}');
}

static void trace_json_put_use(struct buf *b, const struct trace_use *u)
{
	json_open(b, "use", '{');
	for (int i = 0; i < PARTS; i++) {
		if (u->ns[i].total == 0)
			continue;
		json_open(b, part_names[i], '{');
		json_u64(b, "requests", u->ns[i].total);
		if (i < PART_META)
			trace_json_put_percentiles(b, "bytes", &u->size[i]);
		trace_json_put_percentiles(b, "ns", &u->ns[i]);
		json_close(b, '}');
	}
	json_close(b, '}');
}

static void trace_json_put_sharing(struct buf *b, const struct trace_sum *s)
{
	json_u64(b, "readers", s->readers);
	json_u64(b, "writers", s->writers);
	if (s->reads)
		json_str(b, "reads", str_of(order_names[s->reads]));
	if (s->writes)
		json_str(b, "writes", str_of(order_names[s->writes]));
	if (s->sharing)
		json_str(b, "shared", str_of(sharing_names[s->sharing]));
}

static void trace_json_put_sums(struct buf *b, const char *name, const struct trace_table *t,
				bool files)
{
	json_open(b, name, '[');
	for (size_t i = 0; i < t->n; i++) {
		const struct trace_sum *s = &t->sum[i];
		json_open(b, NULL, '{');
		json_str(b, "name", str_of(s->name));
		json_u64(b, "requests", s->ops);
		json_u64(b, "metadata", s->meta);
		json_u64(b, "read", s->read);
		json_u64(b, "written", s->written);
		json_int(b, "ns", s->ns);
		if (s->use)
			trace_json_put_use(b, s->use);
		if (files)
			trace_json_put_sharing(b, s);
		json_close(b, '}');
	}
	json_close(b, ']');
}

/* Append all ranges. The last one has no "to". */
static void trace_json_put_ranges(struct buf *b, const char *name, const struct trace_range *range,
				  size_t n, const struct histogram *h, int parts)
{
	json_open(b, name, '[');
	for (size_t i = 0; i < n; i++) {
		uint64_t to = trace_range_end(range, n, i);
		json_open(b, NULL, '{');
		json_u64(b, "from", range[i].from);
		if (to < UINT64_MAX)
			json_u64(b, "to", to);
		for (int k = 0; k < parts; k++)
			json_u64(b, part_names[k], histogram_between(&h[k], range[i].from, to));
		json_close(b, '}');
	}
	json_close(b, ']');
}

static void trace_json_put_operations(struct buf *b, const struct trace_sums *s)
{
	json_open(b, "operations", '{');
	for (size_t i = 0; i < OPERATIONS; i++)
		if (s->by_op[i].n) {
			json_open(b, operation_name(i), '{');
			json_u64(b, "requests", s->by_op[i].n);
			if (s->results)
				json_u64(b, "failed", s->by_op[i].failed);
			else
				json_null(b, "failed");
			json_int(b, "ns", s->by_op[i].ns);
			json_int(b, "longest_ns", s->by_op[i].longest);
			json_close(b, '}');
		}
	json_close(b, '}');
}

static void trace_json_put_rates(struct buf *b, const struct byte_rates *r)
{
	json_open(b, "rates", '[');
	for (size_t i = 0; i < r->n; i++) {
		json_open(b, NULL, '{');
		json_seconds(b, "start", rates_start(r, i) / 1000);
		json_seconds(b, "seconds", r->width / 1000);
		json_u64(b, "read", r->step[i].read);
		json_u64(b, "written", r->step[i].written);
		json_close(b, '}');
	}
	json_close(b, ']');
}

static void trace_json_put_slowest(struct buf *b, const struct trace_sums *s)
{
	json_open(b, "slowest", '[');
	for (const struct slow *w = s->slowest; w < s->slowest + SLOWEST && w->path; w++) {
		json_open(b, NULL, '{');
		json_str(b, "operation", str_of(operation_name(w->op)));
		json_str(b, "file", str_of(w->path));
		json_str(b, "process", str_of(w->process));
		json_seconds(b, "start", w->start / 1000);
		json_int(b, "ns", w->ns);
		json_close(b, '}');
	}
	json_close(b, ']');
}

static void trace_json_put_losses(struct buf *b, const struct trace_sums *s)
{
	json_bool(b, "has_end", s->states_losses && s->without_end == 0);
	if (s->states_losses) {
		json_u64(b, "lost", s->lost);
		json_u64(b, "lost_calls32", s->calls32);
	} else {
		json_null(b, "lost");
		json_null(b, "lost_calls32");
	}
}

void trace_put_json(struct buf *b, const struct trace_sums *s)
{
	json_open(b, NULL, '{');
	json_u64(b, "requests", s->records);
	json_int(b, "ns", s->last - s->first);
	trace_json_put_losses(b, s);
	json_u64(b, "data", s->data);
	json_u64(b, "small", s->small);
	json_u64(b, "jumps", s->jumps);
	if (s->results)
		json_u64(b, "missing_names", s->missing);
	else
		json_null(b, "missing_names");
	trace_json_put_operations(b, s);
	trace_json_put_use(b, &s->all);
	trace_json_put_ranges(b, "sizes", trace_sizes, TRACE_SIZES, s->all.size, PART_META);
	trace_json_put_ranges(b, "times", trace_times, TRACE_TIMES, s->all.ns, PARTS);
	trace_json_put_sums(b, "programs", &s->by_program, false);
	trace_json_put_sums(b, "processes", &s->by_process, false);
	trace_json_put_sums(b, "files", &s->by_file, true);
	trace_json_put_rates(b, &s->rates);
	trace_json_put_slowest(b, s);
	json_u64(b, "schema", 1);
	json_close(b, '}');
	buf_add_char(b, '\n');
}
