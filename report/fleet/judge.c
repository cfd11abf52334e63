/* SPDX-License-Identifier: BSD-3-Clause */
/* judge.c - find the faults of nodes, individually and by comparison */
#include "report/fleet/judge.h"

#include <stdlib.h>
#include "base/cli.h"
#include "base/words.h"

#define MINUTE_US 60000000
#define AHEAD_US  MINUTE_US		/* tolerated lead of a node's clock over this machine's */
#define SLOW_US (5 * MINUTE_US)	/* tolerated delay between a record's time and its write */
#define EPILOG_US (10 * MINUTE_US)	/* longest accepted time from a job's end to its epilog */
#define TYPES_MAX 1024			/* limit for distinct types that are compared */
/* compare the types of nodes of one kind (see put_kind()) only if there are at least this many */
#define KIND_LEAST 3

static int judge_by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int64_t lateness(const struct fleet_node *n)
{
	return n->written_us - n->look.last_us;
}

/*
 * Return whether the files' modification times can be trusted: most files were modified less than
 * SLOW_US after the time of their last record. Files that were copied later have other times.
 */
static bool knows_writing(const struct fleet *f)
{
	int64_t *late = xrealloc(NULL, f->n * sizeof(*late));
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++)
		if (f->node[i].look.last_us)
			late[n++] = lateness(&f->node[i]);
	if (n)
		qsort(late, n, sizeof(*late), judge_by_number);
	bool knows = n && late[n / 2] < SLOW_US;
	free(late);
	return knows;
}

/*
 * Check a node's clock and the age of its last record. A node whose file is still being written is
 * not silent, even if its clock is slow, so that its records look old.
 */
static void judge_time(const struct fleet *f, struct fleet_node *n, bool writing)
{
	int64_t last = n->look.last_us, age = f->now_us - last, late = lateness(n);
	bool written = f->now_us - n->written_us <= f->silent_us;

	if (last && age < -AHEAD_US)
		buf_addf(&n->fault[FLEET_CLOCK], "its clock is ahead by %lld s",
			 (long long)(-age / 1000000));
	else if (last && writing && written && late > SLOW_US)
		buf_addf(&n->fault[FLEET_CLOCK],
			 "its clock is slow, or its records come late, by %lld s",
			 (long long)(late / 1000000));
	else if (last && age > f->silent_us)
		buf_addf(&n->fault[FLEET_SILENT],
			 "silent since %s (run \"nodometer status\" there)", cli_moment(last).s);
	n->delivers = last && !n->fault[FLEET_SILENT].n;
}

static void judge_alone(struct fleet_node *n)
{
	const struct look *l = &n->look;
	if (!l->last_us && !n->fault[FLEET_UNREADABLE].n)
		buf_addf(&n->fault[FLEET_MISSING], "%s",
			 n->there ? "no record" : "no folder in the archive");
	if (l->lost)
		buf_addf(&n->fault[FLEET_LOST], "%llu record groups could not be written",
			 (unsigned long long)l->lost);
	if (l->failing.n)
		buf_addf(&n->fault[FLEET_ERRORS], "cannot read type " STR_FMT,
			 STR_ARG(buf_str(&l->failing)));
}

/*
 * If more than half of the nodes run the same version of the agent, report the nodes that run
 * another version.
 */
static void judge_versions(struct fleet *f)
{
	struct words versions CLEANUP(words_free) = { 0 };
	size_t known = 0, most = WORDS_NONE;

	for (size_t i = 0; i < f->n; i++)
		if (f->node[i].delivers && f->node[i].look.program) {
			size_t w = words_add(&versions, str_of(f->node[i].look.program));
			versions.word[w].n++;
			known++;
		}
	for (size_t i = 0; i < versions.n; i++)
		if (versions.word[i].n > known / 2)
			most = i;
	if (most == WORDS_NONE)
		return;
	f->program = xstrdup(str_of(versions.word[most].text));
	for (size_t i = 0; i < f->n; i++) {
		struct fleet_node *n = &f->node[i];
		if (n->delivers && n->look.program && strcmp(n->look.program, f->program) != 0)
			buf_addf(&n->fault[FLEET_VERSION], "%s, most nodes have %s",
				 n->look.program, f->program);
	}
}

/*
 * Write the kind of a node. Nodes of the same kind have the same processors and names that differ
 * only in digits.
 */
static void put_kind(struct buf *b, const struct fleet_node *n)
{
	for (const char *p = n->name; *p && *p != '.'; p++)
		if (*p < '0' || *p > '9')
			buf_add_char(b, *p);
	buf_addf(b, " %s", n->look.topology ? n->look.topology : "");
}

struct member {
	size_t kind, node;
};

static int by_kind(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Get the next type. Skips types that exist only while a job runs. */
static bool next_type(struct str *types, struct str *type)
{
	while (str_take_until(types, '\0', type))
		if (!str_eq(*type, STR("job")) && !str_ends(*type, STR("_job")))
			return true;
	return false;
}

static size_t number_of(struct words *types, struct str type)
{
	return types->n < TYPES_MAX ? words_add(types, type) : words_find(types, type);
}

static void count_types(struct words *types, const struct fleet_node *n)
{
	struct str rest = buf_str(&n->look.types), type;
	while (next_type(&rest, &type)) {
		size_t i = number_of(types, type);
		if (i != WORDS_NONE)
			types->word[i].n++;
	}
}

/* Report the types that this node lacks although 90 % of the other nodes of its kind have them. */
static void find_lacking(struct words *types, struct fleet_node *n, size_t others)
{
	bool has[TYPES_MAX] = { false };
	struct buf *b = &n->fault[FLEET_TYPES];
	struct str rest = buf_str(&n->look.types), type;

	while (next_type(&rest, &type)) {
		size_t i = words_find(types, type);
		if (i != WORDS_NONE)
			has[i] = true;
	}
	for (size_t i = 0; i < types->n; i++)
		if (!has[i] && types->word[i].n * 10 >= others * 9)
			buf_addf(b, "%s%s", b->n ? ", " : "lacks types that similar nodes have: ",
				 types->word[i].text);
}

static void judge_kind(struct fleet *f, struct words *types, const struct member *m, size_t n)
{
	if (n < KIND_LEAST)
		return;
	for (size_t i = 0; i < types->n; i++)
		types->word[i].n = 0;
	for (size_t i = 0; i < n; i++)
		count_types(types, &f->node[m[i].node]);
	for (size_t i = 0; i < n; i++)
		find_lacking(types, &f->node[m[i].node], n - 1);
}

static void judge_types(struct fleet *f)
{
	struct words kinds CLEANUP(words_free) = { 0 }, types CLEANUP(words_free) = { 0 };
	struct member *m = xrealloc(NULL, f->n * sizeof(*m));
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct buf kind CLEANUP(buf_free) = { 0 };
		put_kind(&kind, &f->node[i]);
		if (f->node[i].delivers)
			m[n++] = (struct member){ words_add(&kinds, buf_str(&kind)), i };
	}
	if (n)
		qsort(m, n, sizeof(*m), by_kind);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && m[end].kind == m[i].kind; end++)
			;
		judge_kind(f, &types, m + i, end - i);
	}
	free(m);
}

/* The jobs that ended on at least one node, according to the records. */
struct judge_ended {
	struct words jobs;
	struct job_ends {
		/* number of nodes where the job ended, and where the last record still lists it */
		size_t ended, owns;
		int64_t usec;		/* time of the latest end on any node */
	} *of;
	size_t cap;
};

static void count_job(struct judge_ended *e, const struct look_job *j)
{
	size_t i = words_add(&e->jobs, str_of(j->id));
	e->of = vec_reserve(e->of, &e->cap, e->jobs.n, sizeof(*e->of));
	if (e->jobs.word[i].n++ == 0)
		e->of[i] = (struct job_ends){ .ended = 0 };
	e->of[i].ended += j->ended_us && !j->owns;
	e->of[i].owns += j->owns;
	if (j->ended_us > e->of[i].usec)
		e->of[i].usec = j->ended_us;
}

/*
 * Return whether this node's records still list a job more than EPILOG_US after it ended on other
 * nodes, and listed the job before that end. A job may release some of its nodes early, so it must
 * have ended on at least as many nodes as still list it.
 */
static bool is_left_over(const struct judge_ended *e, const struct look *l,
			 const struct look_job *j)
{
	size_t i = j->owns && j->listed_first ? words_find(&e->jobs, str_of(j->id)) : WORDS_NONE;
	return i != WORDS_NONE && e->of[i].ended >= e->of[i].owns && l->first_us < e->of[i].usec &&
	       l->last_us > e->of[i].usec + EPILOG_US;
}

static void judge_epilogs(struct fleet_node *n, const struct judge_ended *e)
{
	struct buf *b = &n->fault[FLEET_EPILOG];
	size_t more = 0;
	for (size_t i = 0; i < n->look.n_jobs; i++) {
		const struct look_job *j = &n->look.job[i];
		if (!j->unhooked && !is_left_over(e, &n->look, j))
			continue;
		if (b->n)
			more++;
		else
			buf_addf(b, "a prolog without an epilog: job %s", j->id);
	}
	if (more)
		buf_addf(b, " and %zu more", more);
}

static void judge_jobs(struct fleet *f)
{
	struct judge_ended e = { .of = NULL };
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->node[i].look.n_jobs; k++)
			count_job(&e, &f->node[i].look.job[k]);
	for (size_t i = 0; i < f->n; i++)
		if (f->node[i].delivers)
			judge_epilogs(&f->node[i], &e);
	words_free(&e.jobs);
	free(e.of);
}

static void sum_up(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		bool faulty = false;
		for (size_t k = 0; k < FLEET_FAULTS; k++) {
			struct buf *b = &f->node[i].fault[k];
			faulty |= b->n > 0;
			f->critical |= b->n && fleet_rules[k].critical;
		}
		f->faulty += faulty;
	}
}

void fleet_judge(struct fleet *f)
{
	bool writing = knows_writing(f);
	for (size_t i = 0; i < f->n; i++) {
		judge_time(f, &f->node[i], writing);
		judge_alone(&f->node[i]);
	}
	judge_versions(f);
	judge_types(f);
	judge_jobs(f);
	sum_up(f);
}
