/* SPDX-License-Identifier: BSD-3-Clause */
/* print_jobs.c - print the table of jobs: for people, as CSV, as JSON */
#include "report/jobs/print_jobs.h"

#include "report/jobs/stored_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/csv.h"
#include "base/cli.h"
#include "base/json.h"
#include "base/utf8.h"
#include "figures/units.h"

#define SECOND  1000000
#define COLUMNS 80
/*
 * a job without an end mark counts as running if its newest sample is younger than this: an hour,
 * or 6 default sampling intervals
 */
#define RUNS_US (INT64_C(3600) * SECOND)

static struct text jobs_percent(const struct used *u)
{
	struct text t = { "-" };
	if (u->of > 0)
		snprintf(t.s, sizeof(t.s), "%.0f%%", used_percent(u));
	return t;
}

/* Format hours in five characters. */
static struct text hours(double h)
{
	struct text t = { "-" };
	if (h >= 0)
		snprintf(t.s, sizeof(t.s), h < 100 ? "%.1f" : h < 1e5 ? "%.0f" : "%.0e", h);
	return t;
}

/* Write id and user. If they do not fit into their columns, start a new line after them. */
static void put_names(struct buf *b, const char *id, const char *user)
{
	size_t id_columns = utf8_columns(str_of(id)), user_columns = utf8_columns(str_of(user));
	bool fits = id_columns <= 14 && user_columns <= 10;
	size_t at = b->n;

	if (fits)
		buf_addf(b, "%s%*s %s%*s", id, 14 - (int)id_columns, "", user,
			 10 - (int)user_columns, "");
	else
		buf_addf(b, "%s %s", id, user);
	utf8_make_printable(b->p + at, b->n - at);
	if (fits)
		return;
	b->n = at + utf8_fit((struct str){ b->p + at, b->n - at }, COLUMNS);
	buf_addf(b, "\n%25s", "");
}

/*
 * Format the number of nodes: "1/2" if only one of two nodes has records, "1+" if there may be more
 * nodes in unreadable files.
 */
static struct text nodes(const struct listed_job *j)
{
	struct text t;
	if (j->nodes_allocated > j->nodes)
		snprintf(t.s, sizeof(t.s), "%u/%llu", j->nodes,
			 (unsigned long long)j->nodes_allocated);
	else
		snprintf(t.s, sizeof(t.s), "%u%s", j->nodes,
			 j->unread && !j->nodes_allocated ? "+" : "");
	return t;
}

static const char *marks(const struct listed_job *j)
{
	if (listed_job_is_whole(j))
		return "ended";
	return j->ended ? "ended on some" : j->unread ? "end unread" : "no end";
}

/*
 * Write a state: "FAILED 3" with an exit code, "FAILED signal 9" with a signal, or the state alone.
 */
static void put_state(struct buf *b, const char *state, const char *exit)
{
	struct str rest = str_of(exit);
	uint64_t status = 0, signal = 0;
	size_t at = b->n;

	buf_addf(b, "%s", state);
	if (strcmp(state, STATE_FAILED) == 0 && str_take_u64(&rest, &status) &&
	    (rest.n == 0 || (str_take_prefix(&rest, STR(":")) && str_take_u64(&rest, &signal))))
		if (signal || status)
			buf_addf(b, signal ? " signal %llu" : " %llu",
				 (unsigned long long)(signal ? signal : status));
	utf8_make_printable(b->p + at, b->n - at);
}

/* Return whether the job had a sample in the last hour and has not ended on any node. */
static bool jobs_runs(const struct listed_job *j)
{
	return j->open && j->ended == 0 && realtime_us() - j->last < RUNS_US;
}

void jobs_put_state(struct buf *b, const struct listed_job *j, const struct sacct_job *a,
		    bool with_exit)
{
	const struct job_used *u = j->is ? &j->is->used : NULL;

	if (a && a->allocation.state[0])
		put_state(b, a->allocation.state, with_exit ? a->allocation.exit : "");
	else if (u && u->known && u->state[0])
		put_state(b, u->state, with_exit ? u->exit : "");
	else if (j->end.state[0] && j->ended == j->nodes)
		put_state(b, j->end.state, with_exit ? j->end.exit : "");
	else
		buf_addf(b, "%s", jobs_runs(j) ? "RUNNING" : marks(j));
}

/* The lines below a job, with values that have no column. */
struct details {
	struct buf *b;
	size_t line;		/* offset of the line's start; 0 before the first line */
};

static void put_detail(struct details *d, const char *label, const char *value)
{
	size_t n = str_of(label).n + str_of(value).n;
	if (!value[0])
		return;
	if (!d->line || d->b->n - d->line + 2 + n > COLUMNS) {
		buf_addf(d->b, "%s\n    ", d->line ? "," : "");
		d->line = d->b->n - 4;
	} else {
		buf_addf(d->b, ", ");
	}
	size_t at = d->b->n;
	buf_addf(d->b, "%s%s", label, value);
	utf8_make_printable(d->b->p + at, d->b->n - at);
}

static void jobs_put_figures(struct details *d, const struct jobs_table *t,
			     const struct listed_job *j)
{
	struct run_value v;

	for (size_t i = 0; i < t->n_figures; i++) {
		struct buf label CLEANUP(buf_free) = { 0 };
		if (!run_row_value(j->is, t->figure[i], &v))
			continue;
		buf_addf(&label, "%s %c", run_figure_name(t->figure[i]).s, '\0');
		put_detail(d, label.p, run_value_text(t->figure[i], &v).s);
	}
}

/* Compute the cost of a run. Returns false if no factor is set or the energy is unknown. */
static bool cost_of(const struct jobs_table *t, const struct listed_job *j, struct bill *ret)
{
	if (!t->with_used)
		return false;
	const struct energy *e = &j->is->used.energy;
	return e->joules > 0 && energy_cost(e, t->factors, j->first, j->last, ret);
}

static void put_cost(struct details *d, const struct jobs_table *t, const struct listed_job *j)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct bill c;
	if (!cost_of(t, j, &c))
		return;
	cost_put_text(&text, t->factors, &c, isfinite(j->is->used.energy.most) ? "" : ">=");
	buf_add_char(&text, '\0');
	put_detail(d, "", text.p);
}

/* Write the job's estimated share of energy if other jobs were on its nodes. */
static void put_share(struct details *d, const struct energy_share *s)
{
	if (s->is == SHARE_ESTIMATED)
		put_detail(d, isfinite(s->most) ? "share of energy " : "share of energy >=",
			   text_value(UNIT_JOULES, s->joules).s);
}

static void put_details(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
			const struct sacct_job *a)
{
	struct details d = { b, 0 };

	if (a) {
		put_detail(&d, "", t->with_used ? a->allocation.state : "");
		put_detail(&d, "name ", a->allocation.name);
	}
	if (!t->with_used)
		return;
	const struct job_used *u = &j->is->used;
	put_detail(&d, "", u->known ? "" : "no samples");
	if (u->memory_peak > 0)
		put_detail(&d, "memory ", text_value(UNIT_BYTES, u->memory_peak).s);
	put_detail(&d, "", a && a->allocation.state[0] ? "" : u->state);
	put_detail(&d, "exit ", u->exit);
	for (size_t i = 0; i < u->n_findings; i++)
		put_detail(&d, "", finding_rules[u->finding[i]].name);
	if (!listed_job_is_whole(j))
		put_detail(&d, "", marks(j));
	put_share(&d, &u->energy.share);
	put_cost(&d, t, j);
	jobs_put_figures(&d, t, j);
}

/* Print a job in at most 80 columns: a line of the table, then lines with the other values. */
static void jobs_put_text(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
			  const struct sacct_job *a)
{
	int64_t s = (j->last - j->first) / SECOND;

	put_names(b, a ? a->shown : j->id, j->user ? j->user : "-");
	buf_addf(b, " %5s  ", nodes(j).s);
	buf_addf(b, "%s", cli_moment(j->first).s);
	buf_addf(b, " %5lld:%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60),
		 (long long)(s % 60));
	if (t->with_used) {
		buf_addf(b, " %4s %4s %5s", jobs_percent(&j->is->used.used[USED_CPU]).s,
			 jobs_percent(&j->is->used.used[USED_GPU]).s, hours(j->is->used.unused).s);
	} else {
		buf_add(b, STR("  "));
		jobs_put_state(b, j, a, true);
	}
	put_details(b, t, j, a);
	buf_add_char(b, '\n');
}

static void json_word(struct buf *b, const char *name, const char *word)
{
	if (word[0])
		json_str(b, name, str_of(word));
}

const char *jobs_known(const char *of_marks, const char *of_sacct)
{
	return of_marks ? of_marks : of_sacct ? of_sacct : "";
}

/*
 * Write the state and the exit code, each only if Slurm's accounting does not have it; otherwise
 * put_asked_json() writes the value from accounting.
 */
static void jobs_put_end_json(struct buf *b, const struct sacct_job *a, const char *state,
			      const char *exit)
{
	json_word(b, "state", a && a->allocation.state[0] ? "" : state);
	json_word(b, "exit", a && a->allocation.exit[0] ? "" : exit);
}

static void put_asked_json(struct buf *b, const struct listed_job *j, const struct sacct_job *a)
{
	if (a)
		json_str(b, "slurm_id", str_of(a->shown));
	json_word(b, "name", jobs_known(j->name, a ? a->allocation.name : NULL));
	json_word(b, "account", jobs_known(j->account, a ? a->allocation.account : NULL));
	json_word(b, "partition", jobs_known(j->partition, a ? a->allocation.partition : NULL));
	if (a) {
		json_word(b, "state", a->allocation.state);
		json_word(b, "exit", a->allocation.exit);
	}
}

static void jobs_put_share_json(struct buf *b, const struct energy_share *s)
{
	json_str(b, "share", str_of(share_names[s->is]));
	if (s->is == SHARE_UNKNOWN)
		return;
	json_double(b, "share_joules", s->joules);
	json_double(b, "share_least", s->least);
	if (isfinite(s->most))
		json_double(b, "share_most", s->most);
}

/* Write memory peak, energy, unused node hours and findings. */
static void put_rest_json(struct buf *b, const struct job_used *u)
{
	if (u->memory_peak > 0)
		json_double(b, "memory_peak", u->memory_peak);
	if (u->energy.joules > 0) {
		json_double(b, "joules", u->energy.joules);
		json_str(b, "joules_from", str_of(energy_names[u->energy.from]));
		jobs_put_share_json(b, &u->energy.share);
	}
	if (u->unused >= 0)
		json_double(b, "unused_node_hours", u->unused);
	json_open(b, "findings", '[');
	for (size_t i = 0; i < u->n_findings; i++)
		json_str(b, NULL, str_of(finding_rules[u->finding[i]].name));
	json_close(b, ']');
}

static void put_used_json(struct buf *b, const struct job_used *u)
{
	used_put_json(b, u->used);
	parts_put_json(b, &u->parts);
	put_rest_json(b, u);
}

void jobs_put_figures_json(struct buf *b, const struct jobs_table *t, const void *of,
			   bool (*value)(const void *of, size_t i, struct run_value *ret))
{
	static const char *const sides[] = {
		[BOUND_AT_LEAST] = "at_least", [BOUND_AT_MOST] = "at_most",
	};
	struct run_value v;

	json_open(b, "figures", '{');
	for (size_t i = 0; i < t->n_figures; i++)
		if (value(of, i, &v))
			json_double(b, run_figure_name(t->figure[i]).s, v.n);
	json_close(b, '}');
	for (size_t side = BOUND_AT_LEAST; side <= BOUND_AT_MOST; side++) {
		json_open(b, sides[side], '[');
		for (size_t i = 0; i < t->n_figures; i++)
			if (value(of, i, &v) && v.bound == side)
				json_str(b, NULL, str_of(run_figure_name(t->figure[i]).s));
		json_close(b, ']');
	}
}

struct job_in_table {
	const struct jobs_table *t;
	const struct listed_job *j;
};

static bool value_of_job(const void *of, size_t i, struct run_value *ret)
{
	const struct job_in_table *one = of;
	return run_row_value(one->j->is, one->t->figure[i], ret);
}

static void put_nodes_json(struct buf *b, const struct run_row *row)
{
	struct str at = row->nodes;
	struct run_node n;

	json_double(b, "node_hours", row->node_hours);
	json_word(b, "program", row->program);
	json_open(b, "hosts", '[');
	while (run_row_next_node(&at, &n))
		json_str(b, NULL, str_of(n.name));
	json_close(b, ']');
}

static void put_cost_json(struct buf *b, const struct jobs_table *t, const struct listed_job *j)
{
	struct bill c;
	if (cost_of(t, j, &c))
		cost_put_json(b, &c);
}

static void jobs_put_json(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
			  const struct sacct_job *a)
{
	json_open(b, NULL, '{');
	json_str(b, "job", str_of(j->id));
	put_asked_json(b, j, a);
	if (j->user)
		json_str(b, "user", str_of(j->user));
	json_u64(b, "nodes", j->nodes);
	json_seconds(b, "start", j->first);
	json_seconds(b, "length", j->last - j->first);
	json_u64(b, "begun", j->begun);
	json_u64(b, "ended", j->ended);
	if (j->nodes_allocated)
		json_u64(b, "nodes_asked", j->nodes_allocated);
	if (j->unread)
		json_u64(b, "hosts_unread", j->unread);
	json_u64(b, "samples", j->samples);
	const struct job_used *u = t->with_used && j->is->used.known ? &j->is->used : NULL;
	jobs_put_end_json(b, a, u ? u->state : j->end.state, u ? u->exit : j->end.exit);
	if (u) {
		put_used_json(b, u);
		put_cost_json(b, t, j);
		put_nodes_json(b, j->is);
		if (t->n_figures)
			jobs_put_figures_json(b, t, &(struct job_in_table){ t, j }, value_of_job);
	}
	json_u64(b, "schema", 1);
	json_close(b, '}');
	buf_add_char(b, '\n');
}

/* Write the parts of the CPU time as two arrays: their names and their CPU seconds. */
static void put_parts_line(struct buf *b, const struct parts *p)
{
	if (p->of <= 0)
		return;
	json_open(b, "part", '[');
	for (int i = 0; i < PARTS; i++)
		json_str(b, NULL, str_of(part_names[i].name));
	json_close(b, ']');
	json_open(b, "part_seconds", '[');
	for (int i = 0; i < PARTS; i++)
		json_double(b, NULL, p->part[i]);
	json_close(b, ']');
}

static void put_use_line(struct buf *b, const struct listed_job *j)
{
	static const char *const of[USED_WHATS] = {
		[USED_CPU] = "cpus_given", [USED_MEMORY] = "memory_given",
		[USED_GPU] = "gpus_given", [USED_TIME] = "time_given",
		[USED_FLOPS] = "flops_peak", [USED_BANDWIDTH] = "bandwidth_peak",
	};
	const struct job_used *u = &j->is->used;

	for (int i = 0; i < USED_WHATS; i++) {
		if (u->used[i].of <= 0)
			continue;
		json_double(b, used_names[i], u->used[i].n);
		json_double(b, of[i], u->used[i].of);
	}
	put_parts_line(b, &u->parts);
	put_rest_json(b, u);
}

/*
 * Write the figures as three arrays: names, values, and the names of the figures that are lower
 * bounds.
 */
static void put_figures_line(struct buf *b, const struct listed_job *j)
{
	struct run_value v;

	json_open(b, "figure", '[');
	for (size_t i = 0; i < run_figures(); i++)
		if (run_row_value(j->is, i, &v))
			json_str(b, NULL, str_of(run_figure_name(i).s));
	json_close(b, ']');
	json_open(b, "value", '[');
	for (size_t i = 0; i < run_figures(); i++)
		if (run_row_value(j->is, i, &v))
			json_double(b, NULL, v.n);
	json_close(b, ']');
	json_open(b, "at_least", '[');
	for (size_t i = 0; i < run_figures(); i++)
		if (run_row_value(j->is, i, &v) && v.bound == BOUND_AT_LEAST)
			json_str(b, NULL, str_of(run_figure_name(i).s));
	json_close(b, ']');
}

/* Write the run's row in hexadecimal, for nodometer jobs --from. */
static void put_stored_run(struct buf *b, const struct listed_job *j,
			   const struct jobs_stored_run *stored)
{
	static const char digits[] = "0123456789abcdef";
	struct buf run CLEANUP(buf_free) = { 0 }, hex CLEANUP(buf_free) = { 0 };

	stored_run_put(&run, j, stored->row);
	buf_reserve(&hex, 2 * run.n);
	for (size_t i = 0; i < run.n; i++) {
		buf_add_char(&hex, digits[(unsigned char)run.p[i] >> 4]);
		buf_add_char(&hex, digits[run.p[i] & 15]);
	}
	json_strf(b, "formula", "%016llx", (unsigned long long)stored->formula);
	json_str(b, "kept", buf_str(&hex));
}

void jobs_put_line(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
		   const struct sacct_job *a, const struct jobs_stored_run *stored)
{
	json_open(b, NULL, '{');
	json_str(b, "job", str_of(j->id));
	put_asked_json(b, j, a);
	if (j->user)
		json_str(b, "user", str_of(j->user));
	jobs_put_end_json(b, a, j->is->used.state, j->is->used.exit);
	json_seconds(b, "start", j->first);
	json_seconds(b, "length", j->last - j->first);
	json_u64(b, "nodes", j->nodes);
	json_u64(b, "ended", j->ended);
	json_u64(b, "samples", j->samples);
	put_nodes_json(b, j->is);
	put_use_line(b, j);
	put_cost_json(b, t, j);
	put_figures_line(b, j);
	put_stored_run(b, j, stored);
	json_close(b, '}');
	buf_add_char(b, '\n');
}

void jobs_csv_number(struct buf *b, bool known, double v)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	if (known)
		json_put_double(&text, v);
	csv_raw(b, buf_str(&text));
}

static void put_share_csv(struct buf *b, const struct energy_share *s)
{
	bool known = energy_share_known(s);

	csv_raw(b, str_of(share_names[s->is]));
	jobs_csv_number(b, known, s->joules);
	jobs_csv_number(b, known, s->least);
	jobs_csv_number(b, known && isfinite(s->most), s->most);
}

static void put_used_csv(struct buf *b, const struct job_used *u,
			 void (*put)(struct buf *b, struct str s))
{
	struct buf names CLEANUP(buf_free) = { 0 };

	for (int i = 0; i <= USED_TIME; i++)
		jobs_csv_number(b, u->used[i].of > 0, used_percent(&u->used[i]));
	jobs_csv_number(b, u->memory_peak > 0, u->memory_peak);
	jobs_csv_number(b, u->energy.joules > 0, u->energy.joules);
	csv_raw(b, str_of(u->energy.joules > 0 ? energy_names[u->energy.from] : ""));
	put_share_csv(b, &u->energy.share);
	jobs_csv_number(b, u->unused >= 0, u->unused);
	for (size_t i = 0; i < u->n_findings; i++)
		buf_addf(&names, "%s%s", names.n ? " " : "", finding_rules[u->finding[i]].name);
	csv_raw(b, buf_str(&names));
	put(b, str_of(u->state));
	put(b, str_of(u->exit));
}

/* Write the cost columns, which exist only if a factor is set. With c = NULL they are empty. */
void jobs_put_cost_csv(struct buf *b, const struct jobs_table *t, const struct bill *c)
{
	if (!factors_are_set(t->factors))
		return;
	jobs_csv_number(b, c, c ? c->kwh : 0);
	jobs_csv_number(b, c && c->grams >= 0, c ? c->grams : 0);
	jobs_csv_number(b, c && c->price >= 0, c ? c->price : 0);
}

static void put_costs_csv(struct buf *b, const struct jobs_table *t, const struct listed_job *j)
{
	struct bill c;
	jobs_put_cost_csv(b, t, cost_of(t, j, &c) ? &c : NULL);
}

static void jobs_put_csv(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
			 const struct sacct_job *a)
{
	void (*put)(struct buf *b, struct str s) = t->exact ? csv_str : csv_cell;
	put(b, str_of(j->id));
	put(b, str_of(j->user ? j->user : ""));
	csv_int(b, (int64_t)j->nodes);
	csv_seconds(b, j->first);
	csv_seconds(b, j->last - j->first);
	csv_int(b, (int64_t)j->begun);
	csv_int(b, (int64_t)j->ended);
	if (j->nodes_allocated)
		csv_int(b, (int64_t)j->nodes_allocated);
	else
		csv_raw(b, STR(""));
	csv_int(b, (int64_t)j->unread);
	put(b, str_of(jobs_known(j->account, a ? a->allocation.account : NULL)));
	put(b, str_of(jobs_known(j->partition, a ? a->allocation.partition : NULL)));
	put(b, str_of(jobs_known(j->name, a ? a->allocation.name : NULL)));
	if (t->with_used) {
		put_used_csv(b, &j->is->used, put);
		put_costs_csv(b, t, j);
	}
	if (t->with_sacct) {
		put(b, str_of(a ? a->shown : ""));
		put(b, str_of(a ? a->allocation.state : ""));
		put(b, str_of(a ? a->allocation.exit : ""));
	}
	for (size_t i = 0; i < t->n_figures; i++) {
		struct run_value v = { 0 };
		bool known = run_row_value(j->is, t->figure[i], &v);
		jobs_csv_number(b, known, v.n);
	}
	csv_end(b);
}

const char *const jobs_columns[JOBS_COLUMNS] = {
	"Job", "User", "Account", "Nodes", "Start", "Length", "CPUs", "GPUs", "Memory",
	"Unused node hours", "Energy", "Found",
};

/* Write the job's share of energy and its cost. */
static void jobs_put_energy(struct buf *b, const struct jobs_table *t, const struct listed_job *j)
{
	const struct energy_share *s = &j->is->used.energy.share;
	const char *least = isfinite(s->most) ? "" : ">=";
	struct bill c;

	if (energy_share_known(s))
		buf_addf(b, "%s%s", least, text_value(UNIT_JOULES, s->joules).s);
	else
		buf_add_char(b, '-');
	if (cost_of(t, j, &c)) {
		buf_add(b, STR("; "));
		cost_put_text(b, t->factors, &c, least);
	}
	buf_add_char(b, '\0');
}

void jobs_put_row(void *arg, void (*put)(void *arg, size_t column, const char *text),
		  const struct jobs_table *t, const struct listed_job *j,
		  const struct sacct_job *a)
{
	const struct job_used *u = &j->is->used;
	struct buf found CLEANUP(buf_free) = { 0 }, energy CLEANUP(buf_free) = { 0 };

	jobs_put_energy(&energy, t, j);
	for (size_t i = 0; i < u->n_findings; i++)
		buf_addf(&found, "%s%s", found.n ? "; " : "",
			 finding_rules[u->finding[i]].title);
	buf_add_char(&found, '\0');
	put(arg, 0, a ? a->shown : j->id);
	put(arg, 1, j->user ? j->user : "-");
	put(arg, 2, jobs_known(j->account, a ? a->allocation.account : NULL));
	put(arg, 3, nodes(j).s);
	put(arg, 4, cli_moment(j->first).s);
	put(arg, 5, text_duration(j->last - j->first).s);
	put(arg, 6, jobs_percent(&u->used[USED_CPU]).s);
	put(arg, 7, jobs_percent(&u->used[USED_GPU]).s);
	put(arg, 8, u->memory_peak > 0 ? text_value(UNIT_BYTES, u->memory_peak).s : "-");
	put(arg, 9, hours(u->unused).s);
	put(arg, 10, energy.p);
	put(arg, 11, found.p);
	for (size_t i = 0; i < t->n_figures; i++) {
		struct run_value v;
		bool is = run_row_value(j->is, t->figure[i], &v);
		put(arg, JOBS_COLUMNS + i, is ? run_value_text(t->figure[i], &v).s : "-");
	}
}

void jobs_put_figure_names(struct buf *b, const struct jobs_table *t)
{
	for (size_t i = 0; i < t->n_figures; i++)
		buf_addf(b, ",%s", run_figure_name(t->figure[i]).s);
}

void jobs_put_head(struct buf *b, const struct jobs_table *t)
{
	if (t->form == JOBS_CSV) {
		buf_addf(b, "job,user,nodes,start,length,begun,ended,nodes_asked,hosts_unread,"
			 "account,partition,name%s%s%s", t->with_used ?
			 ",cpus_percent,memory_percent,gpus_percent,time_percent,memory_peak,"
			 "joules,joules_from,share,share_joules,share_least,share_most,"
			 "unused_node_hours,findings,ended_state,"
			 "ended_exit" : "",
			 t->with_used && factors_are_set(t->factors) ? COST_COLUMNS : "",
			 t->with_sacct ? ",slurm_id,state,exit" : "");
		jobs_put_figure_names(b, t);
		buf_add_char(b, '\n');
	}
	if (t->form == JOBS_TEXT)
		buf_addf(b, "JOB            USER       NODES  START                  LENGTH%s\n",
			 t->with_used ? " CPUS GPUS UNUSED" : "  STATE");
}

void jobs_put(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
	      const struct sacct_job *a)
{
	static void (*const put[])(struct buf *, const struct jobs_table *,
				   const struct listed_job *, const struct sacct_job *) = {
		[JOBS_TEXT] = jobs_put_text, [JOBS_JSON] = jobs_put_json, [JOBS_CSV] = jobs_put_csv,
	};
	put[t->form](b, t, j, a);
}
