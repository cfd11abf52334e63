/* SPDX-License-Identifier: BSD-3-Clause */
/* print_json.c - print a job report as one JSON object, with unrounded numbers */
#include "report/print.h"

#include <math.h>
#include "base/json.h"
#include "figures/findings/ended.h"
#include "figures/findings/findings.h"
#include "figures/limits.h"
#include "figures/parts.h"
#include "figures/runs.h"
#include "figures/totals.h"
#include "figures/used.h"
#include "report/energy.h"

static const char *const how_names[] = {
	[FIGURE_COUNTED] = "counted",
	[FIGURE_SHARE]   = "share",
	[FIGURE_PEAK]    = "peak",
	[FIGURE_MEAN]    = "mean",
	[FIGURE_LIMIT]   = "limit",
	[FIGURE_ADDED]   = "added",
};

static const char *const unit_names[] = {
	[UNIT_COUNT]   = "",
	[UNIT_BYTES]   = "B",
	[UNIT_SECONDS] = "s",
	[UNIT_JOULES]  = "J",
};

/* Write a value. Round seconds to nanoseconds, because further digits are rounding errors. */
static void put_value(struct buf *b, const char *name, enum figure_unit unit, double v)
{
	json_double(b, name, unit == UNIT_SECONDS ? round(v * 1e9) / 1e9 : v);
}

static void json_put_hows(struct buf *b, const uint64_t *steps)
{
	json_u64(b, "count", steps_inferred(steps));
	for (int h = DELTA_WRAPPED; h < DELTA_HOWS; h++)
		json_u64(b, delta_how_name((enum delta_how)h), steps[h]);
}

static void put_inferred(struct buf *b, const struct total *t)
{
	json_open(b, "inferred", '{');
	json_double(b, "amount", t->inferred);
	json_double(b, "percent", t->inferred_share);
	json_put_hows(b, t->steps);
	json_close(b, '}');
}

static void put_whole(struct buf *b, const struct figure *f, const struct total *t)
{
	if (f->how == FIGURE_SHARE) {
		put_value(b, "total", f->unit, t->seconds);
		json_double(b, "percent", t->n);
	} else if (f->how == FIGURE_COUNTED || f->how == FIGURE_ADDED) {
		put_value(b, "total", f->unit, t->n);
		if (t->has_rate)
			json_double(b, "per_second", t->rate);
	}
}

/* Explain why a figure of type "job", which excludes other jobs, is null or a lower bound. */
static void put_reason(struct buf *b, const struct report *r, const struct figure *f,
		       const struct total *t)
{
	const size_t without = r->n - t->nodes - t->unknown;
	bool is_wait = strcmp(f->key, "cpu_wait") == 0;
	size_t lack = 0;

	for (size_t i = 0; i < r->n; i++)
		lack += node_lacks_job(r, &r->node[i]);
	json_open(b, "reason", '[');
	if (lack)
		json_strf(b, NULL, "no row of type %s on %zu of %zu nodes", f->type, lack, r->n);
	if (without > lack)
		json_strf(b, NULL, "rows of %zu of %zu nodes lack %s", without - lack, r->n,
			  f->key);
	if (t->at_least)
		json_strf(b, NULL, "%s on %zu of %zu nodes",
			  is_wait ? "tasks ended between samples" : "end not read",
			  t->at_least, r->n);
	json_close(b, ']');
}

static void json_put_figure(struct buf *b, const struct report *r, const struct figure *f,
			    const struct total *t)
{
	json_open(b, NULL, '{');
	json_str(b, "figure", str_of(figure_id(f).s));
	json_str(b, "section", str_of(f->section));
	json_str(b, "label", str_of(f->label));
	json_str(b, "how", str_of(how_names[f->how]));
	json_str(b, "unit", str_of(unit_names[f->unit]));
	json_u64(b, "nodes", t->nodes);
	json_u64(b, "nodes_saturated", t->saturated);
	json_u64(b, "nodes_resetting", t->resetting);
	json_u64(b, "nodes_beyond", t->beyond);
	if (t->beyond > 0)
		json_strf(b, "beyond", "more than %s", limit_what(f));
	if (t->nodes > 0) {
		put_whole(b, f, t);
		json_double(b, "mean", t->mean);
		json_double(b, "min", t->min);
		json_str(b, "min_node", str_of(r->node[t->min_node].name));
		json_double(b, "max", t->max);
		json_str(b, "max_node", str_of(r->node[t->max_node].name));
		json_double(b, "imbalance_percent", t->imbalance);
	}
	if (t->no_row)
		json_null(b, figure_is_counter(f) ? "total" : "max");
	if (f->job_row)
		json_bool(b, "at_least", t->is_part);
	if (f->job_row && t->is_part)
		put_reason(b, r, f, t);
	if (figure_is_counter(f)) {
		put_inferred(b, t);
		json_u64(b, "devices_late", t->late);
		json_u64(b, "devices_gone", t->gone);
		json_u64(b, "devices_reopened", t->reopened);
		if (f->once)
			json_u64(b, "devices_inferred_double", t->doubles);
	}
	json_close(b, '}');
}

static void put_node_figures(struct buf *b, const struct report *r, const struct node *n)
{
	bool lacks = node_lacks_job(r, n);

	json_open(b, "figures", '{');
	for (size_t i = 0; i < n_figures; i++) {
		const struct value *v = &n->value[i];
		if (!figure_is_shown(&figures[i]))
			continue;
		if (value_unknown(v) || (figures[i].job_row && lacks)) {
			json_null(b, figure_id(&figures[i]).s);
		} else if (v->seen) {
			put_value(b, figure_id(&figures[i]).s, figures[i].unit,
				  value_of(&figures[i], v));
		}
	}
	json_close(b, '}');
	json_open(b, "peak_at", '{');
	for (size_t i = 0; i < n_figures; i++)
		if (figures[i].how == FIGURE_PEAK && figure_is_shown(&figures[i]) &&
		    n->value[i].seen)
			json_seconds(b, figure_id(&figures[i]).s, n->value[i].at);
	json_close(b, '}');
}

static void json_put_peak(struct buf *b, const struct report *r, const struct derived_total *t)
{
	if (!t->peak.at)
		return;
	json_double(b, "peak", t->peak.rate);
	json_seconds(b, "peak_at", t->peak.at);
	json_str(b, "peak_node", str_of(r->node[t->peak_node].name));
}

static void put_derived_nodes(struct buf *b, const struct report *r, const struct derived_total *t)
{
	json_double(b, "min", t->min);
	json_str(b, "min_node", str_of(r->node[t->min_node].name));
	json_double(b, "max", t->max);
	json_str(b, "max_node", str_of(r->node[t->max_node].name));
	json_put_peak(b, r, t);
}

static void put_derived_inferred(struct buf *b, const struct derived_value *v)
{
	json_open(b, "inferred", '{');
	json_double(b, "percent", derived_inferred(v));
	json_put_hows(b, v->steps);
	json_close(b, '}');
}

static void json_put_derived(struct buf *b, const struct report *r)
{
	struct derived_total t;

	json_open(b, "derived", '[');
	for (size_t i = 0; i < n_derived; i++) {
		if (!total_derived(r, i, &t))
			continue;
		json_open(b, NULL, '{');
		json_str(b, "figure", str_of(derived[i].id));
		json_str(b, "section", str_of(derived[i].section));
		json_str(b, "label", str_of(derived[i].label));
		json_str(b, "unit", str_of(derived[i].unit));
		json_u64(b, "nodes", t.nodes);
		if (t.bound == BOUND_UNKNOWN)
			json_null(b, "value");
		else
			json_double(b, "value", t.n);
		json_bool(b, "at_least", t.bound == BOUND_AT_LEAST);
		json_bool(b, "at_most", t.bound == BOUND_AT_MOST);
		if (t.bound != BOUND_UNKNOWN)
			put_derived_nodes(b, r, &t);
		put_derived_inferred(b, &t.all);
		json_u64(b, "devices_left_out", t.all.left_out);
		json_close(b, '}');
	}
	json_close(b, ']');
}

static void json_put_energy(struct buf *b, const struct report *r, const struct factors *factors)
{
	const struct energy e = energy_of(r);
	struct bill c;
	energy_put_json(b, &e, energy_cost(&e, factors, r->start, r->end, &c) ? &c : NULL);
}

static void json_put_used(struct buf *b, const struct report *r)
{
	struct used used[USED_WHATS];
	for (int i = 0; i < USED_WHATS; i++)
		used[i] = used_of(r, (enum used_what)i);
	used_put_json(b, used);
	struct parts parts = parts_of(r);
	parts_put_json(b, &parts);
}

static void json_put_findings(struct buf *b, const struct report *r,
			      const struct finding_site *site)
{
	struct findings f = findings_of(r, site);

	json_open(b, "findings", '[');
	for (size_t i = 0; i < f.n; i++) {
		json_open(b, NULL, '{');
		json_str(b, "rule", str_of(f.finding[i].rule->name));
		json_str(b, "evidence", buf_str(&f.finding[i].why));
		json_str(b, "advice", str_of(f.finding[i].rule->advice));
		json_close(b, '}');
	}
	json_close(b, ']');
	findings_free(&f);
}

static void put_bounded(struct buf *b, const struct node *n, const char *name,
			enum derived_bound bound)
{
	json_open(b, name, '[');
	for (size_t i = 0; i < n_derived; i++) {
		struct derived_value v = derived_of(&derived[i], n->value, (double)n->usec / 1e6);
		if (v.known && derived_bound(&v) == bound)
			json_str(b, NULL, str_of(derived[i].id));
	}
	json_close(b, ']');
}

static void put_node_derived(struct buf *b, const struct node *n)
{
	json_open(b, "derived", '{');
	for (size_t i = 0; i < n_derived; i++) {
		struct derived_value v = derived_of(&derived[i], n->value, (double)n->usec / 1e6);
		if (v.known && derived_bound(&v) == BOUND_UNKNOWN)
			json_null(b, derived[i].id);
		else if (v.known)
			json_double(b, derived[i].id, derived_number(&derived[i], &v));
	}
	json_close(b, '}');
	put_bounded(b, n, "derived_at_least", BOUND_AT_LEAST);
	put_bounded(b, n, "derived_at_most", BOUND_AT_MOST);
	json_open(b, "derived_peak", '{');
	for (size_t i = 0; i < n_derived; i++)
		if (n->course.peak[i].at)
			json_double(b, derived[i].id, n->course.peak[i].rate);
	json_close(b, '}');
	if (n->course.cpus) {
		json_u64(b, "cpus", n->course.cpus);
		json_u64(b, "cpus_busy", n->course.cpus_busy);
		json_double(b, "busiest_cpu_percent", 100 * n->course.busiest);
	}
	if (n->course.gpus) {
		json_u64(b, "gpus", n->course.gpus);
		json_u64(b, "gpus_idle", n->course.gpus_idle);
	}
	if (n->course.fade_at) {
		json_double(b, "cpu_after_to_before_percent", 100 * n->course.fade);
		json_seconds(b, "cpu_after_to_before_at", n->course.fade_at);
	}
}

/* List the figures that are lower bounds. */
static void put_at_least(struct buf *b, const struct node *n)
{
	json_open(b, "at_least", '[');
	for (size_t i = 0; i < n_figures; i++) {
		if (n->value[i].at_least == 0)
			continue;
		json_str(b, NULL, str_of(figure_id(&figures[i]).s));
	}
	json_close(b, ']');
}

static void json_put_node(struct buf *b, const struct report *r, size_t i)
{
	const struct node *n = &r->node[i];
	struct parts parts = parts_of_node(r, i);
	const struct energy energy = energy_of_node(r, n);
	json_open(b, NULL, '{');
	json_str(b, "host", str_of(n->name));
	json_seconds(b, "start", n->start);
	json_seconds(b, "end", n->end);
	json_seconds(b, "duration", n->usec);
	json_u64(b, "runs", n->runs);
	json_u64(b, "boots", n->boots);
	json_u64(b, "clock_set_back", n->set_back);
	json_u64(b, "clock_stepped", n->stepped);
	json_u64(b, "counters_released", n->released);
	json_bool(b, "begin_mark", n->no_begin == 0);
	json_bool(b, "end_mark", n->no_end == 0);
	json_bool(b, "open", n->open);
	json_u64(b, "samples", n->samples);
	json_u64(b, "samples_shared", n->shared);
	json_u64(b, "samples_before_begin", n->before);
	json_seconds(b, "interval", n->interval);
	json_u64(b, "gaps", n->gaps);
	json_seconds(b, "longest_gap", n->longest);
	json_u64(b, "bad_lines", n->bad_lines);
	json_u64(b, "torn_files", n->torn);
	json_u64(b, "rows_of_too_many_devices", n->devices_left_out);
	put_node_figures(b, r, n);
	put_node_derived(b, n);
	put_at_least(b, n);
	energy_put_json(b, &energy, NULL);
	parts_put_json(b, &parts);
	json_close(b, '}');
}

static void json_put_procs(struct buf *b, const struct report *r)
{
	json_u64(b, "processes_beyond", r->procs.beyond);
	json_open(b, "processes", '[');
	for (size_t i = 0; i < r->procs.n; i++) {
		const struct proc *p = &r->procs.proc[i];
		json_open(b, NULL, '{');
		json_str(b, "name", str_of(p->name));
		json_u64(b, "VmHWM", p->hwm);
		json_u64(b, "VmRSS", p->rss);
		json_u64(b, "Threads", p->threads);
		json_str(b, "host", str_of(r->node[p->node].name));
		json_close(b, '}');
	}
	json_close(b, ']');
}

static void put_others(struct buf *b, const struct report *r)
{
	json_open(b, "other_runs", '[');
	for (size_t i = 0; i < r->n_others; i++) {
		const struct other_run *o = &r->other[i];
		json_open(b, NULL, '{');
		json_seconds(b, "start", o->start);
		json_seconds(b, "end", o->end);
		json_u64(b, "nodes", o->nodes);
		if (o->user[0])
			json_str(b, "user", str_of(o->user));
		json_close(b, '}');
	}
	json_close(b, ']');
}

static void json_put_there(struct buf *b, const struct report *r)
{
	json_seconds(b, "at", r->at);
	json_open(b, "jobs_there", '[');
	for (size_t i = 0; i < r->n_there; i++) {
		json_open(b, NULL, '{');
		json_str(b, "job", str_of(r->there[i].job));
		if (r->there[i].user[0])
			json_str(b, "user", str_of(r->there[i].user));
		json_close(b, '}');
	}
	json_close(b, ']');
}

static void json_put_end(struct buf *b, const struct report *r)
{
	const struct job_end end = ended_of(r);

	if (end.state[0])
		json_str(b, "state", str_of(end.state));
	if (end.exit[0])
		json_str(b, "exit", str_of(end.exit));
}

static void put_head(struct buf *b, const struct report *r)
{
	size_t samples = 0, gaps = 0;

	for (size_t i = 0; i < r->n; i++) {
		samples += r->node[i].samples;
		gaps += r->node[i].gaps;
	}
	if (r->job)
		json_str(b, "job", str_of(r->job));
	else
		json_null(b, "job");
	if (r->called)
		json_str(b, "slurm_id", str_of(r->called));
	if (r->device)
		json_str(b, "device", str_of(r->device));
	if (r->user[0])
		json_str(b, "user", str_of(r->user));
	json_put_end(b, r);
	if (r->at)
		json_put_there(b, r);
	json_u64(b, "nodes", r->n);
	if (r->nodes_allocated)
		json_u64(b, "nodes_of_the_job", r->nodes_allocated);
	json_seconds(b, "start", r->start);
	json_seconds(b, "end", r->end);
	json_seconds(b, "duration", report_duration(r));
	json_u64(b, "samples", samples);
	json_u64(b, "gaps", gaps);
	json_u64(b, "files_unreadable", r->unreadable);
	json_seconds(b, "clocks_apart", report_clocks_apart(r));
}

void print_json(FILE *out, const struct report *r, const struct advice *advice)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct total t;

	json_open(&b, NULL, '{');
	put_head(&b, r);
	put_others(&b, r);
	json_open(&b, "figures", '[');
	for (size_t i = 0; i < n_figures; i++)
		if (total_of(r, i, &t))
			json_put_figure(&b, r, &figures[i], &t);
	json_close(&b, ']');
	json_put_derived(&b, r);
	json_put_energy(&b, r, &advice->factors);
	json_put_used(&b, r);
	json_put_findings(&b, r, advice->site);
	json_put_procs(&b, r);
	json_open(&b, "hosts", '[');
	for (size_t i = 0; i < r->n; i++)
		json_put_node(&b, r, i);
	json_close(&b, ']');
	json_u64(&b, "schema", 1);
	json_close(&b, '}');
	fwrite(b.p, 1, b.n, out);
	fputc('\n', out);
}

static double tenths(double seconds)
{
	return (double)(uint64_t)(10 * seconds + .5) / 10;
}

enum kept_of_gpu { GPU_MEMORY, GPU_MEMORY_USED, GPU_BUSY, GPU_KEPT };

/*
 * Write a JSON member for each GPU that the job used on the node, named by the GPU's number.
 * Returns the number of these GPUs.
 */
static uint64_t put_kept_gpus(struct buf *b, const struct node *n, enum kept_of_gpu what)
{
	static const char *const names[GPU_KEPT] = {
		[GPU_MEMORY] = "gpu_total_memory", [GPU_MEMORY_USED] = "gpu_used_memory",
		[GPU_BUSY] = "gpu_utilization",
	};
	uint64_t gpus = 0;
	double busy;
	for (size_t i = 0; i < GPUS_KEPT; i++) {
		const struct gpu_use *u = &n->course.gpus_used.gpu[i];
		char number[8];
		if (!u->total || !gpu_was_used(&n->course.gpus_used, &n->course.held, n->shared, i,
					       &busy))
			continue;
		if (gpus++ == 0)
			json_open(b, names[what], '{');
		snprintf(number, sizeof(number), "%zu", i);
		if (what == GPU_BUSY)
			json_double(b, number, tenths(busy));
		else
			json_u64(b, number, what == GPU_MEMORY ? u->total : u->used);
	}
	if (gpus)
		json_close(b, '}');
	return gpus;
}

/*
 * Write a node's part of the jobstats summary. Programs that read the summary divide by
 * total_memory, used_memory, total_time and cpus, so leave the node out if one of these values is
 * unknown, or if the job still runs there. Returns whether the node was written.
 */
static bool put_kept_node(struct buf *b, const struct report *r, size_t i, uint64_t *gpus)
{
	const struct node *n = &r->node[i];
	const struct used cpu = used_of_node(r, i, USED_CPU);
	const struct used memory = used_of_node(r, i, USED_MEMORY);
	char name[256];
	if (n->open || cpu.of <= 0 || memory.of <= 0)
		return false;
	str_copy(name, sizeof(name), node_name(r, i));
	json_open(b, name, '{');
	json_u64(b, "total_memory", (uint64_t)memory.of);
	json_u64(b, "used_memory", (uint64_t)memory.n);
	json_double(b, "total_time", tenths(cpu.n * ((double)n->usec / 1e6)));
	json_u64(b, "cpus", (uint64_t)cpu.of);
	for (enum kept_of_gpu what = GPU_MEMORY; what < GPU_KEPT; what++) {
		uint64_t n_gpus = put_kept_gpus(b, n, what);
		*gpus += what == GPU_BUSY ? n_gpus : 0;
	}
	json_close(b, '}');
	return true;
}

/*
 * Use the keys of the summary of jobstats (PrincetonUniversity/jobstats, docs/setup/summaries.md).
 * The key "gpus" is mandatory; if its value is 0, programs show no GPUs.
 */
bool print_jobstats(FILE *out, const struct report *r)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	uint64_t gpus = 0;
	bool any = false;

	json_open(&b, NULL, '{');
	json_open(&b, "nodes", '{');
	for (size_t i = 0; i < r->n; i++)
		any |= put_kept_node(&b, r, i, &gpus);
	json_close(&b, '}');
	json_double(&b, "total_time", tenths((double)report_duration(r) / 1e6));
	json_u64(&b, "gpus", gpus);
	json_close(&b, '}');
	if (!any || report_duration(r) <= 0)
		return false;
	fwrite(b.p, 1, b.n, out);
	fputc('\n', out);
	return true;
}
