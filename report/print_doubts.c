/* SPDX-License-Identifier: BSD-3-Clause */
/* print_doubts.c - print what is missing or inferred, at the end of a job report */
#include "report/print.h"

#include <stdarg.h>
#include <string.h>
#include "base/buf.h"
#include "base/clock.h"
#include "figures/limits.h"
#include "figures/runs.h"
#include "figures/totals.h"
#include "figures/units.h"

#define SECOND_US 1000000
/* 30 days; do not report a node that was silent for longer: the archive may be an old copy */
#define SILENT_MAX_US (INT64_C(30) * 86400 * SECOND_US)

/* State of the section "Not certain"; its heading is printed before the first line, if any. */
struct doubts {
	FILE *out;
	const char *bold, *plain;
	size_t n;
	bool verbose;
	/* number of devices left out of the figures that are not listed, for lack of --verbose */
	uint64_t not_said;
};

static void doubts_begin(struct doubts *d)
{
	if (d->n++ == 0)
		fprintf(d->out, "\n%sNot certain%s\n", d->bold, d->plain);
}

static void doubt(struct doubts *d, const char *fmt, ...) PRINTF(2, 3);
static void doubt(struct doubts *d, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	doubts_begin(d);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (str_of(text).n + 2 > PRINT_COLUMNS)
		print_wrapped(d->out, 2, str_of(text));
	else
		fprintf(d->out, "  %s\n", text);
}

static bool no_begin(const struct node *n)
{
	return n->no_begin > 0;
}

static bool no_end(const struct node *n)
{
	return n->no_end > 0 && !n->open;
}

static bool later_end(const struct node *n)
{
	return n->later_end > 0;
}

static bool still_open(const struct node *n)
{
	return n->open;
}

static bool was_booted(const struct node *n)
{
	return n->boots > 0;
}

static bool was_set_back(const struct node *n)
{
	return n->set_back > 0;
}

static bool was_stepped(const struct node *n)
{
	return n->stepped > 0;
}

static bool was_released(const struct node *n)
{
	return n->released > 0;
}

static bool is_shared(const struct node *n)
{
	return n->shared > 0;
}

static bool times_unread(const struct node *n)
{
	return n->value[figure_find("job.cpu")].at_least > 0;
}

static bool others_unread(const struct node *n)
{
	return n->value[figure_find("job.mem")].at_least > 0 && !times_unread(n);
}

static bool waits_unread(const struct node *n)
{
	return n->value[figure_find("job.cpu_wait")].at_least > 0 && !times_unread(n);
}

static bool one_sample(const struct node *n)
{
	return n->samples < 2;
}

/*
 * Return whether there are several samples, but none between the begin and end marks, so that
 * gauges are unknown.
 */
static bool no_middle(const struct node *n)
{
	size_t i = 0;
	while (i < n_figures && !value_only_at_edges(&n->value[i]))
		i++;
	return i < n_figures && !one_sample(n);
}

static bool ran_twice(const struct node *n)
{
	return n->runs > 1;
}

static size_t count_nodes(const struct report *r, bool (*is)(const struct node *))
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += is(&r->node[i]);
	return n;
}

/* Print "WHAT on N of M nodes: a, b, ...", with as many names as fit on the line. */
static void doubt_nodes(struct doubts *d, const struct report *r, const char *what,
			bool (*is)(const struct node *))
{
	struct buf b CLEANUP(buf_free) = { 0 };
	size_t n = count_nodes(r, is);
	bool full = false;

	if (n == 0)
		return;
	buf_addf(&b, "%s on %zu of %zu node%s:", what, n, r->n, r->n == 1 ? "" : "s");
	for (size_t i = 0; i < r->n && !full; i++) {
		if (!is(&r->node[i]))
			continue;
		struct text name = text_name(node_name(r, i), 32);
		full = b.n + str_of(name.s).n + 8 > PRINT_COLUMNS;
		buf_addf(&b, " %s", full ? "..." : name.s);
	}
	doubt(d, STR_FMT, STR_ARG(buf_str(&b)));
}

/*
 * Report if the number of nodes with records differs from the number that the scheduler's hook
 * gave.
 */
static void doubt_count(struct doubts *d, const struct report *r)
{
	if (r->nodes_allocated > r->n)
		doubt(d, "The job had %llu nodes, there are records of %zu: %llu missing",
		      (unsigned long long)r->nodes_allocated, r->n,
		      (unsigned long long)r->nodes_allocated - r->n);
	else if (r->nodes_allocated && r->nodes_allocated < r->n)
		doubt(d, "The job had %llu node%s, there are records of %zu",
		      (unsigned long long)r->nodes_allocated, r->nodes_allocated == 1 ? "" : "s",
		      r->n);
}

static void doubt_clocks(struct doubts *d, const struct report *r)
{
	int64_t apart = report_clocks_apart(r);
	if (apart > 0)
		doubt(d, "Clocks of the nodes are %s apart: duration and rates are the nodes' own",
		      text_duration(apart).s);
}

static void doubt_gaps(struct doubts *d, const struct report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct node *n = &r->node[i];
		if (n->gaps > 0)
			doubt(d, "%s: %zu gap%s, the longest %s from %s",
			      text_name(node_name(r, i), 20).s, n->gaps, n->gaps == 1 ? "" : "s",
			      text_duration(n->longest).s, text_clock(n->longest_at).s);
	}
}

/*
 * Report nodes without an end mark whose records end too early: more than 2.5 times the longest
 * sampling interval of any node before the newest sample of the job.
 */
static void doubt_silent(struct doubts *d, const struct report *r)
{
	int64_t interval = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->node[i].interval > interval)
			interval = r->node[i].interval;
	for (size_t i = 0; i < r->n; i++) {
		const struct node *n = &r->node[i];
		if (n->open && interval > 0 && 2 * (r->end - n->end) > 5 * interval)
			doubt(d, "%s: silent since %s, %s before the newest sample",
			      text_name(node_name(r, i), 20).s, text_clock(n->end).s,
			      text_duration(r->end - n->end).s);
	}
}

/*
 * Report hosts that have sent no sample for 2.5 sampling intervals, unless the archive is old or
 * the requested time ends in the past.
 */
static void doubt_silent_hosts(struct doubts *d, const struct report *r)
{
	int64_t now = realtime_us();

	for (size_t i = 0; i < r->n && !r->job && !r->at && r->until >= now; i++) {
		const struct node *n = &r->node[i];
		int64_t silent = now - n->end;
		if (n->interval > 0 && 2 * silent > 5 * n->interval && silent < SILENT_MAX_US)
			doubt(d, "%s: silent since %s, for %s until now",
			      text_name(node_name(r, i), 20).s, text_clock(n->end).s,
			      text_duration(silent / SECOND_US * SECOND_US).s);
	}
}

static void put_steps(struct buf *b, const uint64_t *steps)
{
	static const char *const names[][2] = {
		[DELTA_WRAPPED] = { "overflow",  "overflows"  },
		[DELTA_DIP]     = { "step back", "steps back" },
		[DELTA_RESET]   = { "restart",   "restarts"   },
	};

	for (int h = DELTA_WRAPPED; h <= DELTA_RESET; h++)
		if (steps[h] > 0)
			buf_addf(b, "%s%llu %s", b->n ? ", " : "", (unsigned long long)steps[h],
				 names[h][steps[h] > 1]);
}

static void doubt_inferred(struct doubts *d, const struct figure *f, const struct total *t)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	if (!(t->inferred > 0) && t->to_0 == 0)
		return;
	put_steps(&b, t->steps);
	doubt(d, "%.*s, %s: " STR_FMT ": %.1f %% of it inferred", (int)strcspn(f->section, " ,"),
	      f->section, f->label, STR_ARG(buf_str(&b)), t->inferred_share);
}

/* Report on how many nodes a figure is unknown because it exceeds what the hardware can do. */
static void doubt_beyond(struct doubts *d, const struct report *r, const struct figure *f,
			 const char *label, size_t nodes)
{
	if (nodes > 0)
		doubt(d, "%s: more than %s on %zu of %zu node%s: not known there", label,
		      limit_what(f), nodes, r->n, r->n == 1 ? "" : "s");
}

/* Report on how many nodes, devices and samples a figure is unknown, and why. */
static void doubt_unknown(struct doubts *d, const struct report *r, const struct figure *f,
			  const struct total *t)
{
	if (t->saturated > 0)
		doubt(d, "%s: at the end of its scale on %zu of %zu node%s: not known there",
		      f->label, t->saturated, r->n, r->n == 1 ? "" : "s");
	if (t->resetting > 0)
		doubt(d, "%s: went back too often on %zu of %zu node%s: not known there",
		      f->label, t->resetting, r->n, r->n == 1 ? "" : "s");
	doubt_beyond(d, r, f, f->label, t->beyond);
	if (t->lacking > 0 && t->nodes > 0)
		doubt(d, "%s: not there on %llu device%s of type %s", f->label,
		      (unsigned long long)t->lacking, t->lacking == 1 ? "" : "s", f->type);
	if (t->below_0 > 0)
		doubt(d, "%s: below 0 in %llu sample%s, which %s left out", f->label,
		      (unsigned long long)t->below_0, t->below_0 == 1 ? "" : "s",
		      t->below_0 == 1 ? "is" : "are");
}

static void doubt_type(struct doubts *d, const struct report *r, const struct figure *f,
		       const struct total *t)
{
	if (t->late > 0)
		doubt(d, "Type %s: %llu device%s came in mid-job and count%s from there", f->type,
		      (unsigned long long)t->late, t->late > 1 ? "s" : "", t->late > 1 ? "" : "s");
	if (t->gone > 0)
		doubt(d, "Type %s: %llu device%s not in the last sample: up to %s is missing",
		      f->type, (unsigned long long)t->gone, t->gone > 1 ? "s" : "",
		      text_duration(t->gone_usec).s);
	if (t->reopened > 0)
		doubt(d, "Type %s: %llu device%s began again in mid-job: a gap is missing", f->type,
		      (unsigned long long)t->reopened, t->reopened > 1 ? "s" : "");
	d->not_said += d->verbose ? 0 : t->doubles;
	if (t->doubles > 0 && d->verbose)
		doubt(d, "Type %s: %llu device%s left out: inferred to count what others count",
		      f->type, (unsigned long long)t->doubles, t->doubles > 1 ? "s" : "");
	size_t nodes = t->nodes + t->unknown + t->at_edges;
	size_t enough = r->n - count_nodes(r, one_sample);
	if (nodes < enough && !t->no_row)
		doubt(d, "Type %s: on %zu of %zu nodes only", f->type, nodes, r->n);
}

/* Report doubts about a figure that is not shown, but from which shown figures are computed. */
static void doubt_hidden(struct doubts *d, const struct report *r, size_t figure)
{
	size_t beyond = 0;

	for (size_t i = 0; i < r->n; i++)
		beyond += r->node[i].value[figure].beyond > 0;
	doubt_beyond(d, r, &figures[figure], figure_id(&figures[figure]).s, beyond);
}

static void doubt_figures(struct doubts *d, const struct report *r)
{
	const char *type = "";
	struct total t;

	for (size_t i = 0; i < n_figures; i++) {
		const struct figure *f = &figures[i];
		if (!figure_is_shown(f))
			doubt_hidden(d, r, i);
		if (!total_of(r, i, &t))
			continue;
		doubt_inferred(d, f, &t);
		doubt_unknown(d, r, f, &t);
		if (strcmp(f->type, type) != 0)
			doubt_type(d, r, f, &t);
		type = f->type;
	}
}

/*
 * Report doubts about counters that the report does not show. Name the derived figures that are
 * computed from these counters.
 */
static void doubt_derived(struct doubts *d, const struct report *r)
{
	struct derived_total t;

	for (size_t i = 0; i < n_derived; i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		if (!derived_is_of_hidden(&derived[i]) || !total_derived(r, i, &t))
			continue;
		bool lost = t.all.resets[0] + t.all.resets[1] > 0;
		if (!lost && (!t.all.steps[DELTA_DIP] || derived_inferred(&t.all) < .05))
			continue;
		put_steps(&b, t.all.steps);
		doubt(d, "%s, %s: " STR_FMT " of its counters%s: %.1f %% of it inferred",
		      derived[i].section, derived[i].label, STR_ARG(buf_str(&b)),
		      lost ? ", what they counted just before is missing" : "",
		      derived_inferred(&t.all));
	}
}

static void doubt_files(struct doubts *d, const struct report *r)
{
	uint64_t bad = 0, left_out = 0;
	size_t before = 0;
	unsigned torn = 0;

	for (size_t i = 0; i < r->n; i++) {
		bad += r->node[i].bad_lines;
		torn += r->node[i].torn;
		before += r->node[i].before;
		left_out += r->node[i].devices_left_out;
	}
	if (before > 0)
		doubt(d, "%zu samples before a begin mark were left out", before);
	if (bad > 0)
		doubt(d, "%llu unreadable lines were left out", (unsigned long long)bad);
	if (torn > 0)
		doubt(d, "%u file%s in a torn sample that was left out", torn,
		      torn == 1 ? " ends" : "s end");
	if (left_out > 0)
		doubt(d, "%llu rows were left out: too many devices", (unsigned long long)left_out);
	if (r->procs.beyond > 0)
		doubt(d, "%zu program%s with more than all memory of the node: left out",
		      r->procs.beyond, r->procs.beyond == 1 ? "" : "s");
	if (r->left_out.n)
		doubt(d, "nodometer-answer left out: " STR_FMT,
		      STR_ARG(r->left_out));
	if (r->unreadable > 0)
		doubt(d, "%zu file%s could not be read to the end", r->unreadable,
		      r->unreadable == 1 ? "" : "s");
}

void print_doubts(FILE *out, const struct report *r, bool verbose, const char *bold,
		  const char *plain)
{
	struct doubts d = { .out = out, .bold = bold, .plain = plain, .verbose = verbose };

	doubt_nodes(&d, r, "No begin mark", no_begin);
	doubt_nodes(&d, r, "No end mark", no_end);
	doubt_nodes(&d, r, "Ended unseen, at the latest when a later job had the node alone,",
		    later_end);
	doubt_nodes(&d, r, "No end mark yet, running or dead,", still_open);
	doubt_nodes(&d, r, "Only one sample, nothing to subtract,", one_sample);
	doubt_nodes(&d, r, "No sample between the marks, no peak, no mean,", no_middle);
	doubt_nodes(&d, r, r->job ? "Booted in mid-job" : "Booted meanwhile", was_booted);
	doubt_nodes(&d, r, "Hardware counters given to a job", was_released);
	doubt_nodes(&d, r, "Clock set back, times uncertain,", was_set_back);
	doubt_nodes(&d, r, "Clock stepped, times as it had begun,", was_stepped);
	doubt_nodes(&d, r, "Ran more than once", ran_twice);
	doubt_nodes(&d, r, "End of the job itself not read", times_unread);
	doubt_nodes(&d, r, "End of the job itself: CPU time only,", others_unread);
	doubt_nodes(&d, r, "Waits for a CPU are a lower bound", waits_unread);
	doubt_nodes(&d, r, "Other jobs are in the figures of the node", is_shared);
	doubt_count(&d, r);
	doubt_clocks(&d, r);
	doubt_silent(&d, r);
	doubt_silent_hosts(&d, r);
	doubt_gaps(&d, r);
	doubt_figures(&d, r);
	doubt_derived(&d, r);
	doubt_files(&d, r);
	if (d.n == 0)
		fprintf(out, "\nComplete: %sno gaps%s.\n",
			r->job ? "marks at both ends on every node, " : "",
			d.not_said ? "; --verbose says more" :
				     ", nothing inferred");
}
