/* SPDX-License-Identifier: BSD-3-Clause */
/* node.c - a job on one node, found in the records of its host */
#include "figures/node.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/vec.h"
#include "figures/dynamics.h"
#include "figures/job.h"
#include "figures/limits.h"

/*
 * limit of samples of one run; further samples are not in .samples, and gaps between them are not
 * found
 */
#define TIMES_MAX (4u << 20)

/* The search for the runs of a job in the records of one host, across its files. */
struct node_search {
	const struct node_query *q;
	struct runs *runs;
	struct job_watch watch;
	struct tally *tally;
	const char *name;
	struct run run;		/* the current run; between runs, the next run */
	/*
	 * number of rows left out in earlier runs of the job, because there were too many devices
	 */
	uint64_t left_out;
	bool newest_is_ours;
	/* time of the previous record, microseconds, corrected by .shift; 0: none */
	int64_t usec;
	int64_t run_start, run_end;
	int64_t left;		/* time of the first record that no longer lists the job; 0: none */
	int64_t shift;	/* microseconds by which the clock was set since the run began */
	/* events on the node since the newest sample of the run */
	struct node_events {
		unsigned boots, stepped, released;
	} events;
	struct dynamics *dynamics;	/* NULL if the query has its own table of figures */
	/* NULL if the query has its own table of figures, or no job */
	struct sharing *sharing;
	struct bystanders bystanders;
	int64_t *time;		/* times of all samples of the run */
	size_t n_times, cap_times;
	bool in_file;		/* the current file has a sample of the job */
};

static int node_compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static int64_t node_median_time(const int64_t *v, size_t n)
{
	size_t bytes = n * sizeof(*v);
	int64_t *sorted = memcpy(xrealloc(NULL, bytes), v, bytes);
	qsort(sorted, n, sizeof(*v), node_compare_times);
	int64_t m = sorted[n / 2];
	free(sorted);
	return m;
}

static void node_find_gaps(struct node *node, const int64_t *time, size_t n)
{
	if (n < 4)
		return;
	int64_t *interval = xrealloc(NULL, (n - 1) * sizeof(*interval));
	for (size_t i = 0; i + 1 < n; i++)
		interval[i] = time[i + 1] - time[i];
	node->interval = node_median_time(interval, n - 1);
	for (size_t i = 0; i + 1 < n; i++) {
		if (2 * interval[i] <= 5 * node->interval)
			continue;
		node->gaps++;
		if (interval[i] > node->longest) {
			node->longest = interval[i];
			node->longest_at = time[i];
		}
	}
	free(interval);
}

struct figures node_query_figures(const struct node_query *q)
{
	return q->table.n ? q->table : (struct figures){ figures, n_figures };
}

bool node_began_before(const struct node *node, double cpu_seconds)
{
	double seconds = limit_seconds((double)node->usec / 1e6);
	return node->course.cpus && cpu_seconds > node->course.cpus * seconds;
}

static void node_start_run(struct node_search *h)
{
	size_t bytes = node_query_figures(h->q).n * sizeof(*h->run.node.value);
	h->run = (struct run){ .node.value = memset(xrealloc(NULL, bytes), 0, bytes) };
}

static void node_free_run(struct run *run)
{
	free(run->node.name);
	free(run->node.value);
	procs_free(&run->procs);
}

static void runs_append(struct runs *runs, const struct run *run)
{
	runs->run = vec_reserve(runs->run, &runs->cap, runs->n + 1, sizeof(*runs->run));
	if (runs->n == 0 || run->node.start < runs->start)
		runs->start = run->node.start;
	if (runs->n == 0 || run->node.end > runs->end)
		runs->end = run->node.end;
	runs->run[runs->n++] = *run;
}

void runs_free(struct runs *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		node_free_run(&runs->run[i]);
	free(runs->run);
	*runs = (struct runs){ 0 };
}

void runs_join(struct runs *runs, struct runs *more)
{
	for (size_t i = 0; i < more->n; i++)
		runs_append(runs, &more->run[i]);
	free(more->run);
	*more = (struct runs){ 0 };
}

static void node_close_run(struct node_search *h, bool begin_mark, bool end_mark)
{
	struct node *node = &h->run.node;

	if (h->dynamics)
		dynamics_end(h->dynamics, h->tally, node->shared == 0, &node->course);
	if (h->sharing)
		sharing_end(h->sharing, node->course.share);
	tally_fold(h->tally, node->value, &h->run.procs, 0);
	if (!end_mark)
		/* without an end mark, the job's own processes may be in the newest sample */
		bystanders_clear(&h->bystanders);
	bystanders_end(&h->bystanders, node->bystander);
	node_find_gaps(node, h->time, h->n_times);
	node->name = xstrdup(str_of(h->name));
	node->runs = 1;
	node->start = h->run_start;
	node->end = h->run_end;
	node->usec = h->run_end - h->run_start;
	node->no_begin = h->q->job && !begin_mark;
	node->no_end = h->q->job && !end_mark;
	node->open = h->q->job && !end_mark && h->newest_is_ours;
	node->absent_from = end_mark ? 0 : h->left;
	h->left = 0;
	node->samples = h->n_times;
	node->devices_left_out = tally_devices_left_out(h->tally) - h->left_out;
	h->left_out += node->devices_left_out;
	h->n_times = 0;
	runs_append(h->runs, &h->run);
	node_start_run(h);
}

static void node_count_sample(struct node_search *h, const struct record *g, bool edge)
{
	h->time = vec_reserve(h->time, &h->cap_times, h->n_times + 1, sizeof(*h->time));
	if (h->n_times < TIMES_MAX)
		h->time[h->n_times++] = g->usec;
	int64_t wall = g->usec + h->shift;
	if (h->run.node.wall_start == 0 || wall < h->run.node.wall_start)
		h->run.node.wall_start = wall;
	if (wall > h->run.node.wall_end)
		h->run.node.wall_end = wall;
	/*
	 * only between samples of the run: at its first sample, the clock was set back before the
	 * job began
	 */
	if (h->n_times > 1 && g->usec < h->usec)
		h->run.node.set_back++;
	if (g->usec < h->run_start)
		h->run_start = g->usec;
	if (g->usec > h->run_end)
		h->run_end = g->usec;
	tally_record(h->tally, g, edge);
}

/*
 * Update .shift if the clock was set during the run. Times of a run are corrected by .shift to the
 * clock at the begin of the run.
 */
static void node_follow_clock(struct node_search *h, const struct node_moment *m)
{
	bool away = h->watch.state == JOB_AWAY;

	h->shift = away ? 0 : h->shift;
	h->usec = m->before ? m->before - h->shift : 0;
	if (!away && m->step && llabs(h->shift + m->step) <= RECORD_USEC_MAX) {
		h->shift += m->step;
		h->events.stepped++;
	}
}

/* Begin a run. Its times follow the clock at its begin, so forget clock steps before the run. */
static void node_open_run(struct node_search *h, struct record *g, int64_t wall)
{
	h->shift = 0;
	h->events = (struct node_events){ 0 };
	h->run_start = h->run_end = g->usec = wall;
}

static unsigned node_count_marks(const struct record *g, enum mark_kind kind)
{
	unsigned n = 0;
	for (size_t i = 0; i < g->n_marks; i++)
		n += g->mark[i].kind == kind;
	return n;
}

/*
 * Count boots, clock steps and releases of hardware counters during the run. Events after a record
 * that does not list the job count only if a later record lists the job again: otherwise they
 * happened after the job's end. For a query without a job, events after the last sample in its time
 * do not count. was_left: the previous record did not list the job.
 */
static void node_count_events(struct node_search *h, const struct record *g, unsigned what,
			      bool booted, bool was_left)
{
	struct node *node = &h->run.node;
	struct node_events *e = &h->events;
	bool away = h->watch.state == JOB_AWAY;

	e->boots += booted && !(what & JOB_OPEN);
	e->released += away ? 0 : node_count_marks(g, MARK_RELEASE);
	if ((was_left || h->watch.any) && !(what & JOB_TAKE))
		return;
	if (!away || (what & JOB_TAKE)) {
		node->boots += e->boots;
		node->stepped += e->stepped;
		node->released += e->released;
	}
	*e = (struct node_events){ 0 };
}

static bool node_is_in_range(const struct node_query *q, const struct record *g)
{
	return q->job || (g->usec >= q->since && g->usec <= q->until);
}

static void node_report_sample(struct node_search *h, const struct record *g, unsigned what,
			       bool booted)
{
	const struct node_query *q = h->q;
	const struct job_sample t = { g, h->tally, what, h->watch.begun, booted };
	bool in_time = q->taken_to == 0 || (g->usec >= q->taken_from && g->usec <= q->taken_to);
	if ((what & JOB_TAKE) && q->on_sample && in_time)
		q->on_sample(q->arg, &t);
}

static void node_add_other_type(struct node *node, const char *name)
{
	char *to = node->other_types;
	size_t n = strlen(to), more = strlen(name);
	if (n + more + 2 >= sizeof(node->other_types)) {
		node->more_types++;
	} else {
		to[n] = ' ';
		memcpy(to + (n ? n + 1 : 0), name, more + 1);
	}
}

/*
 * Add to .other_types the names of the record types in the run's first sample that have no figures.
 */
static void node_note_other_types(struct node_search *h, const struct record *g)
{
	struct node *node = &h->run.node;
	struct figures table = node_query_figures(h->q);
	size_t first, end;

	for (size_t i = 0; i < g->n_types; i++) {
		const char *name = g->rows[i].type->name;
		if (!figures_of_type(table, str_of(name), &first, &end) &&
		    strcmp(name, "proc") != 0 && strcmp(name, "host_proc") != 0 &&
		    strcmp(name, "process") != 0)
			node_add_other_type(node, name);
	}
}

static void node_take_attributes(struct node_search *h, const struct record *g)
{
	struct run *run = &h->run;
	struct str job = h->watch.job, value;

	if (job_attribute(g, job, STR("nodes"), &value))
		str_take_u64(&value, &run->nodes);
	job_owner_take(&run->owner, g, job);
	run->node.later_end = job_ends_by_later(g, job);
	allocation_take(&run->node.allocation, g, job);
	if (job_attribute(g, job, STR("gpus"), &value))
		held_give(&run->node.course.held, value);
}

/* Whether the sample has the job's begin mark or end mark. */
static bool node_sample_has_mark(const struct node_search *h, unsigned what)
{
	return (what & JOB_CLOSE) || ((what & JOB_OPEN) && h->watch.begun);
}

/*
 * Drop the samples of the run and the results from them, but keep results from marks and headers.
 */
static void node_drop_samples(struct node_search *h)
{
	struct node *node = &h->run.node;
	const struct course *c = &node->course;

	*node = (struct node){
		.value = node->value, .before = node->before + h->n_times,
		.bad_lines = node->bad_lines, .torn = node->torn, .allocation = node->allocation,
		.course = { .cores = c->cores, .fault_ns = c->fault_ns, .peaks = c->peaks,
			    .held = c->held },
	};
	h->n_times = 0;
	tally_clear(h->tally);
	bystanders_clear(&h->bystanders);
	if (h->dynamics)
		dynamics_clear(h->dynamics);
	if (h->sharing)
		sharing_clear(h->sharing);
}

/* Add a sample to the current run. */
static void node_take_job_sample(struct node_search *h, const struct record *g, unsigned what,
				 bool booted)
{
	const struct job_sample t = { g, h->tally, what, h->watch.begun, booted };

	node_count_sample(h, g, node_sample_has_mark(h, what));
	node_take_attributes(h, g);
	held_take(&h->run.node.course.held, g, h->watch.job);
	gpus_take(&h->run.node.course.gpus_used, g);
	if (h->dynamics)
		bystanders_take(&h->bystanders, g);
	if (h->n_times == 1)
		node_note_other_types(h, g);
	h->run.node.shared += h->q->job && job_shares(&h->watch, g, what);
	h->in_file = true;
	if (h->dynamics)
		dynamics_take(h->dynamics, &t);
	if (h->sharing)
		sharing_take(h->sharing, &t, dynamics_steps(h->dynamics),
			     &h->run.node.allocation, &h->run.node.course.held,
			     h->run.node.course.cores);
}

/* Note the time of the first record that no longer lists a job without an end mark. */
static void node_note_left(struct node_search *h, const struct record *g, unsigned what)
{
	if (h->watch.state != JOB_LEFT && !(what & JOB_CLOSE_LOST))
		h->left = 0;
	else if (!h->left)
		h->left = g->usec;
}

void node_search_take(struct node_search *h, const struct record *record,
		      const struct node_moment *m)
{
	struct record steady = *record, *g = &steady;
	bool booted = m->booted, was_left = h->watch.state == JOB_LEFT;

	node_follow_clock(h, m);
	g->usec -= h->shift;
	h->run.node.course.cores = m->cores;
	h->run.node.course.fault_ns = m->fault_ns;
	h->run.node.course.peaks = m->peaks;
	unsigned what = node_is_in_range(h->q, record) ? job_watch_record(&h->watch, g, booted) : 0;

	node_note_left(h, g, what);
	if (what & JOB_CLOSE_LOST) {
		h->newest_is_ours = false;
		node_close_run(h, true, false);
	}
	if (what & JOB_DROP)
		node_drop_samples(h);
	if (what & JOB_OPEN)
		node_open_run(h, g, record->usec);
	node_count_events(h, g, what, booted, was_left);
	if (booted)
		tally_boot(h->tally);
	tally_marks(h->tally, g);
	if (what & JOB_TAKE)
		node_take_job_sample(h, g, what, booted);
	node_report_sample(h, g, what, booted);
	if (what & JOB_CLOSE)
		node_close_run(h, h->watch.begun, true);
	if (what & JOB_REOPEN) {
		struct record next = job_reopen(&h->watch, g);
		node_open_run(h, &next, record->usec);
		node_take_job_sample(h, &next, JOB_OPEN | JOB_TAKE, false);
		node_report_sample(h, &next, JOB_OPEN | JOB_TAKE, false);
	}
	h->newest_is_ours = (what & JOB_TAKE) && (!(what & JOB_CLOSE) || (what & JOB_REOPEN));
}

void node_search_begin_file(struct node_search *h)
{
	h->in_file = false;
	tally_new_file(h->tally);
}

bool node_search_end_file(struct node_search *h, uint64_t bad_lines, bool torn)
{
	if (h->in_file) {
		struct node *node = h->n_times ? &h->run.node : &h->runs->run[h->runs->n - 1].node;
		node->bad_lines += bad_lines;
		node->torn += torn;
	}
	tally_new_file(h->tally);
	return h->in_file;
}

bool node_search_is_here(const struct node_search *h)
{
	return h->watch.state == JOB_HERE;
}

bool node_search_is_away(const struct node_search *h)
{
	return h->watch.state == JOB_AWAY;
}

struct node_search *node_search_new(const struct node_query *q, const char *name,
				    struct runs *runs)
{
	struct str job = str_of(q->job ? q->job : "");
	struct node_search *h = xrealloc(NULL, sizeof(*h));

	*h = (struct node_search){ .q = q, .runs = runs, .name = name,
				   .watch = { .job = job, .any = !q->job } };
	h->tally = tally_new(job, node_query_figures(q), q->device);
	if (!q->table.n)
		h->dynamics = dynamics_new();
	if (h->dynamics && q->job)
		h->sharing = sharing_new(job);
	node_start_run(h);
	return h;
}

void node_search_end(struct node_search *h)
{
	if (h->watch.state != JOB_AWAY)
		node_close_run(h, h->watch.begun, false);
	node_free_run(&h->run);
	tally_free(h->tally);
	dynamics_free(h->dynamics);
	sharing_free(h->sharing);
	bystanders_free(&h->bystanders);
	free(h->time);
	free(h);
}
