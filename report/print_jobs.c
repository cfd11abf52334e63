/* SPDX-License-Identifier: BSD-3-Clause */
/* print_jobs.c - the table of jobs: for people, as CSV, as JSON */
#include "report/print_jobs.h"

#include <stdio.h>
#include <time.h>
#include "base/csv.h"
#include "base/json.h"
#include "base/utf8.h"
#include "figures/units.h"

#define SECOND 1000000

static void put_time(struct buf *b, int64_t usec)
{
	char text[32];
	time_t t = (time_t)(usec / SECOND);
	struct tm tm;
	if (localtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		buf_add(b, str_of(text));
	else
		buf_add_char(b, '-');
}

static struct text percent(const struct used *u)
{
	struct text t = { "-" };
	if (u->of > 0)
		snprintf(t.s, sizeof(t.s), "%.0f%%", used_percent(u));
	return t;
}

static struct text hours(double h)
{
	struct text t = { "-" };
	if (h >= 0)
		snprintf(t.s, sizeof(t.s), h < 100 ? "%.1f" : "%.0f", h);
	return t;
}

/* The worst, and how many more. */
static void put_found(struct buf *b, const struct job_used *u)
{
	size_t first = job_used_finding(u, 0), more = 0;
	if (first == n_finding_rules) {
		buf_add(b, str_of(u->known ? "-" : "no samples"));
		return;
	}
	for (size_t i = first; (i = job_used_finding(u, i + 1)) < n_finding_rules; )
		more++;
	buf_add(b, str_of(finding_rules[first].name));
	if (more)
		buf_addf(b, ", %zu more", more);
}

static void put_used_text(struct buf *b, const struct job_used *u)
{
	buf_addf(b, "  %5s %4s %4s %10s %7s  ", u->exit[0] ? u->exit : "-",
		 percent(&u->used[USED_CPU]).s, percent(&u->used[USED_GPU]).s,
		 u->memory_peak > 0 ? text_value(UNIT_BYTES, u->memory_peak).s : "-",
		 hours(u->unused).s);
	size_t at = b->n;
	put_found(b, u);
	buf_addf(b, "%*s", b->n - at < 25 ? (int)(25 - (b->n - at)) : 0, "");
}

static void put_text(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
		     const struct sacct_job *a)
{
	int64_t s = (j->last - j->first) / SECOND;
	size_t at = b->n;
	buf_addf(b, "%-14s %-10s %5zu  ", a ? a->shown : j->id, j->user ? j->user : "-", j->nodes);
	put_time(b, j->first);
	buf_addf(b, " %5lld:%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60),
		 (long long)(s % 60));
	if (t->with_used)
		put_used_text(b, &j->used);
	else
		buf_addf(b, "  %-13s", j->ended == j->nodes ? "ended" : j->ended ?
			 "ended on some" : "no end");
	if (a)
		buf_addf(b, "  %-10s %s", a->asked.state, a->asked.name);
	utf8_make_printable(b->p + at, b->n - at);
	while (b->n && b->p[b->n - 1] == ' ')
		b->n--;
	buf_add_char(b, '\n');
}

static void json_word(struct buf *b, const char *name, const char *word)
{
	if (word[0])
		json_str(b, name, str_of(word));
}

static void put_sacct_json(struct buf *b, const struct sacct_job *a)
{
	json_str(b, "slurm_id", str_of(a->shown));
	json_word(b, "name", a->asked.name);
	json_word(b, "account", a->asked.account);
	json_word(b, "partition", a->asked.partition);
	json_word(b, "state", a->asked.state);
	json_word(b, "exit", a->asked.exit);
}

static void put_used_json(struct buf *b, const struct job_used *u, bool with_end)
{
	if (with_end) {
		json_word(b, "state", u->state);
		json_word(b, "exit", u->exit);
	}
	used_put_json(b, u->used);
	if (u->memory_peak > 0)
		json_double(b, "memory_peak", u->memory_peak);
	if (u->joules > 0)
		json_double(b, "joules", u->joules);
	if (u->unused >= 0)
		json_double(b, "unused_node_hours", u->unused);
	json_open(b, "findings", '[');
	for (size_t i = 0; (i = job_used_finding(u, i)) < n_finding_rules; i++)
		json_str(b, NULL, str_of(finding_rules[i].name));
	json_close(b, ']');
}

static void put_json(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
		     const struct sacct_job *a)
{
	json_open(b, NULL, '{');
	json_str(b, "job", str_of(j->id));
	if (a)
		put_sacct_json(b, a);
	if (j->user)
		json_str(b, "user", str_of(j->user));
	json_u64(b, "nodes", j->nodes);
	json_seconds(b, "start", j->first);
	json_seconds(b, "length", j->last - j->first);
	json_u64(b, "begun", j->begun);
	json_u64(b, "ended", j->ended);
	json_u64(b, "samples", j->samples);
	if (t->with_used && j->used.known)
		put_used_json(b, &j->used, !a);	/* else accounting has both */
	json_close(b, '}');
	buf_add_char(b, '\n');
}

/* What is not known is an empty field. */
static void csv_number(struct buf *b, bool known, double v)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	if (known)
		json_put_double(&text, v);
	csv_raw(b, buf_str(&text));
}

static void put_used_csv(struct buf *b, const struct job_used *u,
			 void (*put)(struct buf *b, struct str s))
{
	struct buf names CLEANUP(buf_free) = { 0 };

	for (int i = 0; i < USED_WHATS; i++)
		csv_number(b, u->used[i].of > 0, used_percent(&u->used[i]));
	csv_number(b, u->memory_peak > 0, u->memory_peak);
	csv_number(b, u->joules > 0, u->joules);
	csv_number(b, u->unused >= 0, u->unused);
	for (size_t i = 0; (i = job_used_finding(u, i)) < n_finding_rules; i++)
		buf_addf(&names, "%s%s", names.n ? " " : "", finding_rules[i].name);
	csv_raw(b, buf_str(&names));
	put(b, str_of(u->state));
	put(b, str_of(u->exit));
}

static void put_csv(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
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
	if (t->with_used)
		put_used_csv(b, &j->used, put);
	if (t->with_sacct) {
		put(b, str_of(a ? a->shown : ""));
		put(b, str_of(a ? a->asked.name : ""));
		put(b, str_of(a ? a->asked.account : ""));
		put(b, str_of(a ? a->asked.partition : ""));
		put(b, str_of(a ? a->asked.state : ""));
		put(b, str_of(a ? a->asked.exit : ""));
	}
	csv_end(b);
}

void jobs_put_head(struct buf *b, const struct jobs_table *t)
{
	if (t->form == JOBS_CSV)
		buf_addf(b, "job,user,nodes,start,length,begun,ended%s%s\n", t->with_used ?
			 ",cpus_percent,memory_percent,gpus_percent,time_percent,memory_peak,"
			 "joules,unused_node_hours,findings,ended_state,ended_exit" : "",
			 t->with_sacct ? ",slurm_id,name,account,partition,state,exit" : "");
	if (t->form == JOBS_TEXT)
		buf_addf(b, "JOB            USER       NODES  START                  LENGTH  "
			 "%-*s%s\n", !t->with_sacct ? 0 : t->with_used ? 61 : 13,
			 t->with_used ? " EXIT CPUS GPUS     MEMORY  UNUSED  FINDINGS" : "MARKS",
			 t->with_sacct ? "  STATE      NAME" : "");
}

void jobs_put(struct buf *b, const struct jobs_table *t, const struct listed_job *j,
	      const struct sacct_job *a)
{
	static void (*const put[])(struct buf *, const struct jobs_table *,
				   const struct listed_job *, const struct sacct_job *) = {
		[JOBS_TEXT] = put_text, [JOBS_JSON] = put_json, [JOBS_CSV] = put_csv,
	};
	put[t->form](b, t, j, a);
}
