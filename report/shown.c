/* SPDX-License-Identifier: BSD-3-Clause */
/* shown.c - format the parts of a report that text and HTML share: head, bars and columns */
#include "report/shown.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/utf8.h"
#include "base/base.h"
#include "figures/allocation.h"
#include "figures/findings/ended.h"
#include "figures/runs.h"
#include "report/energy.h"

#define SECOND 1000000
/* 24 h; the due time of a job's next sample is not shown if it passed longer ago than this */
#define DUE_MAX_US (INT64_C(86400) * SECOND)
/* a job without an end mark counts as running if its newest sample is no older than this */
#define RUNS_US (INT64_C(3600) * SECOND)
/* largest number of nodes that are all listed in the head of the report */
#define NODES_MAX 8
#define VALUE_COLUMNS 66	/* largest width of the text after the label of a line */
/* percent; from this imbalance on, name the nodes with the minimum and the maximum of a figure */
#define UNEVEN 10

/* Callback that receives the rows of the report's head. */
struct head {
	void (*row)(void *arg, const char *label, const char *value);
	void *arg;
};

static void shown_put(const struct head *h, const char *label, struct buf *value)
{
	buf_add_char(value, '\0');
	h->row(h->arg, label, value->p);
}

static void put_word(const struct head *h, const char *label, const char *value)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	if (!value || !value[0])
		return;
	utf8_put(&b, str_of(value));
	utf8_make_printable(b.p, b.n);
	shown_put(h, label, &b);
}

static void shown_add_nodes(struct buf *b, const struct report *r, size_t most)
{
	buf_addf(b, "%zu", r->n);
	if (r->nodes_allocated > r->n)
		buf_addf(b, " of the job's %llu have records",
			 (unsigned long long)r->nodes_allocated);
	for (size_t i = 0; i < r->n && i < most; i++)
		buf_addf(b, "%s%s", i ? ", " : ": ", text_name(node_name(r, i), 24).s);
	buf_add(b, str_of(r->n > most ? ", ..." : ""));
}

/* List all nodes if there are at most NODES_MAX and all fit on a line, else the first two. */
static void shown_put_nodes(const struct head *h, const struct report *r)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	shown_add_nodes(&b, r, NODES_MAX);
	if (r->n > NODES_MAX || b.n > VALUE_COLUMNS) {
		b.n = 0;
		shown_add_nodes(&b, r, 2);
	}
	shown_put(h, "nodes", &b);
}

/*
 * Sum the allocated CPUs, memory and GPUs over all nodes. A sum is 0 if the allocation is unknown
 * on any node.
 */
static struct allocation shown_sum_allocations(const struct report *r)
{
	struct allocation sum = { .gpus_known = r->n > 0 };
	bool cpus = true, mem = true;

	for (size_t i = 0; i < r->n; i++) {
		const struct allocation *a = &r->node[i].allocation;
		cpus &= a->cpus > 0;
		mem &= a->mem > 0;
		sum.gpus_known &= a->gpus_known;
		sum.cpus += a->cpus;
		sum.mem += a->mem;
		sum.gpus += a->gpus;
		sum.limit = a->limit > sum.limit ? a->limit : sum.limit;
	}
	sum.cpus = cpus ? sum.cpus : 0;
	sum.mem = mem ? sum.mem : 0;
	sum.gpus = sum.gpus_known ? sum.gpus : 0;
	return sum;
}

static void put_allocated(const struct head *h, const struct allocation *sum)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	if (sum->cpus)
		buf_addf(&b, "%llu CPU%s", (unsigned long long)sum->cpus,
			 sum->cpus == 1 ? "" : "s");
	if (sum->mem)
		buf_addf(&b, "%s%s", b.n ? ", " : "", text_value(UNIT_BYTES, (double)sum->mem).s);
	if (sum->gpus)
		buf_addf(&b, "%s%llu GPU%s", b.n ? ", " : "", (unsigned long long)sum->gpus,
			 sum->gpus == 1 ? "" : "s");
	if (b.n)
		shown_put(h, "allocated", &b);
}

static void shown_owner_part(struct buf *b, const char *what, const char *value)
{
	if (value && value[0])
		buf_addf(b, "%s%s%s", b->n ? ", " : "(", what, text_name(str_of(value), 16).s);
}

void shown_owner(struct buf *b, const struct report *r)
{
	const struct allocation all = report_attributes(r);

	shown_owner_part(b, "", r->user);
	shown_owner_part(b, "account ", all.account);
	shown_owner_part(b, "partition ", all.partition);
	if (b->n)
		buf_add_char(b, ')');
}

/* Explain an exit code with a signal, such as 0:13. */
static void shown_put_signal(struct buf *b, struct str exit)
{
	uint64_t status, number;

	if (str_take_u64(&exit, &status) && str_take_prefix(&exit, STR(":")) &&
	    str_take_u64(&exit, &number) && exit.n == 0 && number > 0 && number < NSIG)
		buf_addf(b, " (signal %d: %s)", (int)number, strsignal((int)number));
}

/* Check whether the job had a sample in the last hour and has no end mark on any node. */
static bool shown_is_running(const struct report *r)
{
	bool open = r->job && realtime_us() - r->end < RUNS_US;

	for (size_t i = 0; i < r->n; i++)
		open &= r->node[i].open && r->node[i].no_end;
	return open;
}

void shown_state(struct buf *b, const struct report *r)
{
	const struct job_end end = ended_of(r);

	if (end.state[0])
		buf_addf(b, "%s", text_name(str_of(end.state), 24).s);
	else if (shown_is_running(r))
		buf_add(b, STR("RUNNING"));
	if (end.exit[0])
		buf_addf(b, "%sexit %s", b->n ? ", " : "", text_name(str_of(end.exit), 12).s);
	shown_put_signal(b, str_of(end.exit));
}

static void put_times(const struct head *h, const struct report *r)
{
	struct buf start CLEANUP(buf_free) = { 0 }, end CLEANUP(buf_free) = { 0 };
	size_t no_begin = 0, no_end = 0, open = 0;

	for (size_t i = 0; i < r->n; i++) {
		no_begin += r->node[i].no_begin > 0;
		no_end += r->node[i].no_end > 0;
		open += r->node[i].open;
	}
	buf_addf(&start, "%s%s", text_time(r->start).s, !r->job ? " (first sample)" :
		 no_begin == r->n ? " (first sample: no begin mark)" : "");
	buf_addf(&end, "%s%s", text_time(r->end).s, !r->job ? " (newest sample)" :
		 no_end < r->n ? "" :
		 open ? " (newest sample: no end mark yet)" : " (last sample: no end mark)");
	shown_put(h, "start", &start);
	shown_put(h, "end", &end);
}

/*
 * Write when the next sample of a running job is due: at the next multiple of the sampling
 * interval. If this time is more than DUE_MAX_US ago, write nothing, since the archive is old.
 */
static void put_next(const struct head *h, const struct report *r)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	int64_t interval = 0, now = realtime_us();
	bool open = false;

	for (size_t i = 0; i < r->n; i++) {
		open |= r->node[i].open && r->node[i].no_end;
		interval = r->node[i].interval > interval ? r->node[i].interval : interval;
	}
	interval = (interval + SECOND / 2) / SECOND * SECOND;
	if (!r->job || !open || interval == 0)
		return;
	int64_t due = r->end - r->end % interval + interval;
	if (now - due > DUE_MAX_US)
		return;
	buf_addf(&b, "%s (the next sample %s due)", text_time(due).s, due > now ? "is" : "was");
	shown_put(h, "next", &b);
}

static void put_elapsed(const struct head *h, const struct report *r, const struct allocation *sum)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	buf_addf(&b, "%s", text_duration(report_duration(r)).s);
	if (sum->limit)
		buf_addf(&b, " of %s requested", text_duration((int64_t)sum->limit * 1000000).s);
	shown_put(h, "elapsed", &b);
}

static void shown_put_energy(const struct head *h, const struct report *r, const struct factors *f)
{
	struct buf b CLEANUP(buf_free) = { 0 }, share CLEANUP(buf_free) = { 0 };
	struct buf costs CLEANUP(buf_free) = { 0 };
	const struct energy e = energy_of(r);
	struct bill c;

	energy_put_text(&b, &e);
	if (b.n == 0)
		return;
	shown_put(h, "energy", &b);
	energy_put_share(&share, &e.share);
	if (share.n)
		shown_put(h, "its share", &share);
	if (!energy_cost(&e, f, r->start, r->end, &c))
		return;
	cost_put_text(&costs, f, &c, isfinite(e.most) ? "" : ">=");
	shown_put(h, "costs", &costs);
}

static void put_samples(const struct head *h, const struct report *r)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	size_t samples = 0, gaps = 0, least = SIZE_MAX, most = 0;
	int64_t interval = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct node *n = &r->node[i];
		samples += n->samples;
		gaps += n->gaps;
		least = n->samples < least ? n->samples : least;
		most = n->samples > most ? n->samples : most;
		if (n->interval > interval)
			interval = n->interval;
	}
	buf_addf(&b, "%zu", samples);
	if (r->n > 1 && least == most)
		buf_addf(&b, ", %zu on each node", least);
	else if (r->n > 1)
		buf_addf(&b, ", %zu to %zu on each node", least, most);
	if (interval > 0)
		buf_addf(&b, ", every %s", text_duration(interval).s);
	if (interval > 0 && gaps)
		buf_addf(&b, ", %zu gap%s", gaps, gaps == 1 ? "" : "s");
	else if (interval > 0)
		buf_add(&b, STR(", no gaps"));
	shown_put(h, "samples", &b);
}

void shown_title(struct buf *b, const struct report *r)
{
	if (r->at) {
		buf_addf(b, "Host %s at %s", text_name(node_name(r, 0), 40).s, text_time(r->at).s);
		return;
	}
	buf_addf(b, "%s%s", r->job ? "Job " : "All records of hosts",
		 r->job ? text_name(str_of(r->job), 47).s : "");
	if (r->called && strcmp(r->called, r->job) != 0)
		buf_addf(b, ", %s", text_name(str_of(r->called), 24).s);
}

/* List the jobs that were on the host at the moment of the report. */
static void shown_put_there(const struct head *h, const struct report *r)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	for (size_t i = 0; i < r->n_there; i++) {
		const struct there *t = &r->there[i];
		buf_addf(&b, "%s%s", i ? ", " : "", text_name(str_of(t->job), 40).s);
		if (t->user[0])
			buf_addf(&b, " of %s", text_name(str_of(t->user), 24).s);
	}
	if (r->n_there == 0)
		buf_addf(&b, "none");
	if (r->at)
		shown_put(h, "jobs", &b);
}

void shown_head(const struct report *r, const struct factors *factors,
		void (*row)(void *arg, const char *label, const char *value), void *arg)
{
	const struct head h = { row, arg };
	const struct allocation sum = shown_sum_allocations(r), all = report_attributes(r);
	put_word(&h, "name", all.name);
	put_elapsed(&h, r, &sum);
	shown_put_nodes(&h, r);
	put_word(&h, "devices", r->device);
	put_allocated(&h, &sum);
	shown_put_there(&h, r);
	put_times(&h, r);
	put_next(&h, r);
	put_samples(&h, r);
	shown_put_energy(&h, r, factors);
}

/*
 * How each resource is shown. Highlight a use below .low percent, and a use above .high percent
 * unless the use includes page cache.
 */
static const struct bar {
	const char *label;
	enum figure_unit unit;
	double low, high;	/* percent */
	const char *of_what;
} bars[USED_WHATS] = {
	[USED_CPU]    = { "CPU",    UNIT_COUNT, 65, 1000, " CPUs busy"   },
	[USED_MEMORY] = { "memory", UNIT_BYTES, 0,  95,   " at the peak" },
	[USED_GPU]    = { "GPU",    UNIT_COUNT, 15, 1000, " GPUs busy"   },
	[USED_TIME]   = { "time",   UNIT_COUNT, 10, 99.9, ""             },
	[USED_FLOPS]     = { "FLOP/s", UNIT_COUNT, 0, 100, "" },
	[USED_BANDWIDTH] = { "DRAM",   UNIT_BYTES, 0, 100, "" },
};

static struct text shown_amount(enum used_what what, double v)
{
	struct text t;
	if (what == USED_TIME)
		return text_duration((int64_t)(v * 1e6));
	if (what == USED_BANDWIDTH)
		return text_rate(UNIT_BYTES, v);
	if (what == USED_FLOPS) {
		snprintf(t.s, sizeof(t.s), v < 1e12 ? "%.4g GF/s" : "%.4g TF/s",
			 v / (v < 1e12 ? 1e9 : 1e12));
		return t;
	}
	if (bars[what].unit == UNIT_BYTES)
		return text_value(UNIT_BYTES, v);
	snprintf(t.s, sizeof(t.s), v > 0 && v < 0.01 ? "%.2f" : v < 100 ? "%.4g" : "%.0f", v);
	return t;
}

bool shown_bar(const struct report *r, enum used_what what, struct shown_bar *ret)
{
	struct used u = used_of(r, what);
	double percent = used_percent(&u), full = used_full_percent(&u);

	if (u.of <= 0)
		return false;
	*ret = (struct shown_bar){
		.label = bars[what].label, .of_what = bars[what].of_what, .percent = percent,
		.bad = full < bars[what].low || (full > bars[what].high && !u.has_cache),
		.share = text_percent(percent), .n = shown_amount(what, u.n),
		.of = shown_amount(what, u.of),
		.at_least = u.at_least, .at_most = u.at_most,
	};
	if (u.of == 1 && (what == USED_CPU || what == USED_GPU))
		ret->of_what = what == USED_CPU ? " CPU busy" : " GPU busy";
	return true;
}

static void shown_put_peak(struct buf *b, const struct used *u, const char *percent_of,
			   const char *from,
			   const char *above)
{
	if (u->of <= 0)
		return;
	from = u->measured ? "nodometer peak" : from;
	buf_addf(b, "%s%s%s of %s, by %s", b->n ? "; " : "",
		 u->at_least ? "at least " : u->at_most ? "at most " : "",
		 text_percent(used_percent(u)).s, percent_of, from);
	if (used_percent(u) > 100)
		buf_addf(b, ", which is too low: %s",
			 u->measured ? "measure again on an idle node" : above);
}

void shown_peaks(struct buf *b, const struct report *r)
{
	struct used flops = used_of(r, USED_FLOPS), bandwidth = used_of(r, USED_BANDWIDTH);

	shown_put_peak(b, &flops, "FLOP/s", "processor and nominal clock", "the clock was higher");
	shown_put_peak(b, &bandwidth, "bandwidth", "the clock of DRAM", "the clock changed");
	if (b->n)
		buf_add_char(b, '.');
}

struct text shown_value(const struct figure *f, double v)
{
	return f->how == FIGURE_SHARE ? text_percent(v) : text_value(f->unit, v);
}

const char *shown_second(const struct figure *f)
{
	return f->how == FIGURE_SHARE ? "share" : f->how == FIGURE_PEAK ? "" : "per s";
}

struct shown_figure shown_figure(const struct report *r, const struct figure *f,
				 const struct total *t)
{
	struct shown_figure s = {
		.mean = shown_value(f, t->mean), .min = shown_value(f, t->min),
		.max = shown_value(f, t->max),
	};
	if (f->how == FIGURE_SHARE) {
		s.whole = text_value(UNIT_SECONDS, t->seconds);
		s.second = text_percent(t->n);
	} else if (f->how == FIGURE_COUNTED || f->how == FIGURE_ADDED) {
		s.whole = text_value(f->unit, t->n);
		if (t->has_rate)
			s.second = text_rate(f->unit, t->rate);
	} else if (r->n == 1) {
		s.whole = text_value(f->unit, t->n);
	}
	return s;
}

struct text shown_number(double v)
{
	struct text t;
	double a = fabs(v);
	int decimals = a >= 1000 || a == 0 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : 3;

	if (a >= 1e8)	/* a number with more digits does not fit in 8 columns */
		snprintf(t.s, sizeof(t.s), "%.3g", v);
	else
		snprintf(t.s, sizeof(t.s), "%.*f", decimals, v);
	return t;
}

bool shown_is_uneven(const struct figure *f, const struct total *t)
{
	return t->nodes > 1 && t->imbalance >= UNEVEN && (f->how != FIGURE_SHARE || t->max >= 1);
}
