/* SPDX-License-Identifier: BSD-3-Clause */
/* sampler.c - take one sample of every type and maintain the schema of this node */
#include "recorder/sampler.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "base/clock.h"
#include "schema/marks.h"
#include "formats/raw_write.h"
#include "schema/node_schema.h"

#define FILES_MAX 65536
#define RESCAN_NS 60000000000	/* interval at which the sampler looks for new devices */

_Static_assert(offsetof(struct type_state, source.why) < 4 * 64,
	       "a sample uses four cache lines of a type");

/*
 * Mark all keys of type nodometer as present, since every record group must have this type: readers
 * take a record group without it for an incomplete one.
 */
static void type_set_all_keys(struct type_state *t)
{
	for (size_t i = 0; i < t->c->type->n_metrics; i++)
		t->mask[i / 64] |= (uint64_t)1 << i % 64;
	t->on = t->active = true;
}

/*
 * Raise the limit of open files. Files stay open between samples; a client of a large Lustre file
 * system has thousands.
 */
static void sampler_raise_file_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	rlim_t want = limit.rlim_max < FILES_MAX ? limit.rlim_max : FILES_MAX;
	if (limit.rlim_cur >= want)
		return;
	limit.rlim_cur = want;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;		/* types that run out of descriptors report their own errors */
}

bool type_is_on(const struct collector *c, enum type_use use)
{
	return use == USE_DEFAULT ? !c->type->off : use != USE_OFF;
}

static void sampler_init_type(struct sampler *s, const struct collector *c, enum type_use u)
{
	struct type_state *t = &s->type[s->n++];
	*t = (struct type_state){
		.c = c, .collect = c->collect, .name = str_of(c->type->name),
		.on = type_is_on(c, u), .isolated = c->type->isolate || u == USE_ISOLATE,
		.worker = { .fd = -1 },
	};
	t->rereads = c->reread && !t->isolated;
	source_init(&t->source, &s->root, c->type->metrics, c->type->n_metrics);
	t->source.shared = &s->shared;
	t->source.data = c->data;
	size_t bytes = rows_words(&t->source.rows) * sizeof(*t->mask);
	t->mask = xrealloc(NULL, (2 + SCHEMA_KINDS) * bytes);
	memset(t->mask, 0, 2 * bytes);
	t->first = t->mask + rows_words(&t->source.rows);
	t->kinds.mask = t->first + rows_words(&t->source.rows);
	if (strcmp(c->type->name, "nodometer") == 0) {
		type_set_all_keys(t);
		s->cost_type = t;
	}
}

static void sampler_make_room(struct sampler *s, size_t n)
{
	size_t cost_type = s->cost_type ? (size_t)(s->cost_type - s->type) : 0;
	s->type = xrealloc_aligned(s->type, s->n * sizeof(*s->type), n * sizeof(*s->type));
	s->found = xrealloc(s->found, n * sizeof(struct type_state *));
	s->collected = xrealloc(s->collected, n * sizeof(struct type_state *));
	s->cost = xrealloc(s->cost, n * sizeof(*s->cost));
	if (s->cost_type)
		s->cost_type = &s->type[cost_type];
}

void sampler_init_in(struct sampler *s, const struct files *root, const enum type_use *use,
		     int64_t deadline_ns)
{
	*s = (struct sampler){ .root = *root, .deadline_ns = deadline_ns };
	sampler_raise_file_limit();
	s->shared.files = (struct files){ .rootfd = s->root.rootfd, .in_root = s->root.in_root };
	sampler_make_room(s, n_collectors);
	for (size_t i = 0; i < n_collectors; i++)
		sampler_init_type(s, collectors[i], use ? use[i] : USE_DEFAULT);
}

int sampler_init(struct sampler *s, const char *root, const enum type_use *use,
		 int64_t deadline_ns)
{
	struct files files;
	int r = files_open_root(&files, root);
	if (r < 0)
		*s = (struct sampler){ .root = { .rootfd = -1 } };
	else
		sampler_init_in(s, &files, use, deadline_ns);
	return r;
}

void sampler_add_named(struct sampler *s, const struct named_types *named)
{
	sampler_make_room(s, s->n + named->n);
	for (size_t i = 0; i < named->n; i++)
		sampler_init_type(s, named_collector(named->type[i]),
				  named->type[i]->off ? USE_OFF :
				  USE_ON);
}

void sampler_free(struct sampler *s)
{
	for (size_t i = 0; i < s->n; i++) {
		worker_free(&s->type[i].worker);
		source_free(&s->type[i].source);
		buf_free(&s->type[i].below);
		free(s->type[i].mask);
	}
	free(s->type);
	free(s->found);
	free(s->collected);
	free(s->cost);
	buf_free(&s->restarts);
	shared_free(&s->shared);
	files_free(&s->root);
	*s = (struct sampler){ .root = { .rootfd = -1 } };
}

static size_t type_count_left_out(const struct type_state *t)
{
	const struct rows *r = &t->source.rows;
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += !row_has_all(r, i, t->mask) &&
		     schema_kind_of(r, i, &t->kinds) == t->kinds.n;
	return n;
}

/*
 * Return true if all rows have a key that the schema lacks: the key appeared first in one row, and
 * later in all others.
 */
static bool type_lacks_key(const struct type_state *t)
{
	const struct rows *r = &t->source.rows;
	for (size_t w = 0; w < rows_words(r); w++) {
		uint64_t more = ~t->mask[w];
		for (size_t i = 0; i < r->n && more; i++)
			more &= rows_present(r, i)[w];
		if (more)
			return true;
	}
	return false;
}

/*
 * Return true if the schema must be made again: if the keys of the first row have changed, or if
 * rows did not fit the schema in two samples in succession. A single sample may lack keys because
 * of a read error. A new key in all rows counts at once if there are at least as many rows as
 * before.
 */
static bool type_fit_is_due(struct type_state *t)
{
	const struct source *s = &t->source;
	size_t bytes = rows_words(&s->rows) * sizeof(*t->first);
	uint8_t before = t->misfits;
	bool lacks = t->active && type_lacks_key(t);
	t->misfits = t->active && type_count_left_out(t) > t->left_out ? MISFIT_ROW : 0;
	if (lacks)
		t->misfits |= MISFIT_KEY;
	return !t->active || s->rescan || (before & t->misfits) ||
	       (lacks && s->rows.n >= t->rows) ||
	       memcmp(t->first, rows_present(&s->rows, 0), bytes) != 0;
}

/*
 * Return true if all rows have exactly the keys of the schema, and the first row already had them
 * when the schema was made. This is a fast test for the common case.
 */
static bool type_fits_schema(const struct type_state *t)
{
	const struct rows *r = &t->source.rows;
	const uint64_t *mask = t->mask, *present = r->present;
	uint64_t differ = 0;
	size_t words = rows_words(r);
	for (size_t w = 0; w < words; w++)
		differ |= t->first[w] ^ mask[w];
	for (size_t i = 0; i < r->n; i++)
		for (size_t w = 0; w < words; w++)
			differ |= *present++ ^ mask[w];
	return !differ && t->active && !t->source.rescan;
}

static bool type_fit_schema(struct type_state *t, const struct listener *l)
{
	struct source *s = &t->source;
	size_t bytes = rows_words(&s->rows) * sizeof(*t->mask);
	if (type_fits_schema(t)) {
		t->misfits = 0;
		return false;
	}
	if (s->rows.n == 0 || !type_fit_is_due(t))
		return false;

	size_t kinds = t->kinds.n;
	bool changed = schema_fit(&s->rows, t->mask, &t->kinds) || !t->active;
	memcpy(t->first, rows_present(&s->rows, 0), bytes);
	t->left_out = type_count_left_out(t);
	t->rows = s->rows.n;
	t->misfits = 0;
	t->active = true;
	struct odd_devices odd = type_odd_devices(t);
	if (changed && (t->kinds.n || t->left_out))
		odd_devices_say(&odd, kinds < t->kinds.n ? kinds : 0, l);
	return changed;
}

/*
 * Copy the "$below" lines, which list the devices that a device is built on. Returns true if they
 * have changed.
 */
static bool type_update_below(struct type_state *t)
{
	struct rows *r = &t->source.rows;
	if (!r->below_new || r->n == 0)
		return false;
	r->below_new = false;
	if (t->below_known == r->below_known && str_eq(buf_str(&t->below), buf_str(&r->below)))
		return false;
	t->below.n = 0;
	buf_add(&t->below, buf_str(&r->below));
	t->below_known = r->below_known;
	t->below_turn++;
	return true;
}

static bool sampler_is_stall(int result)
{
	return result == -ETIMEDOUT || result == -EBUSY;
}

static bool type_collect(struct type_state *t, int64_t deadline_ns,
			 const struct listener *listener)
{
	struct source *s = &t->source;
	if (t->isolated) {
		if (t->result == 0)
			t->result = worker_answer(&t->worker, s, deadline_ns);
	} else {
		t->result = t->collect(s);
	}
	if (t->result < 0) {
		int r = t->result;
		char why[SOURCE_WHY_MAX];
		memcpy(why, s->why, sizeof(why));
		source_clear(s);	/* discards a partial sample */
		memcpy(s->why, why, sizeof(why));
		if (!s->why[0])
			str_copy(s->why, sizeof(s->why), sampler_is_stall(r) ?
				 STR("no answer before the deadline") : str_of(strerror(-r)));
		return false;
	}
	return type_fit_schema(t, listener);
}

/*
 * Choose the types to collect: all enabled types in a rescan, otherwise the types that exist on
 * this node.
 */
static void sampler_choose(struct sampler *s, bool rescan)
{
	size_t n = 0;
	for (size_t i = 0; rescan && i < s->n; i++) {
		struct type_state *t = &s->type[i];
		if (t->on && !t->held_off && t != s->cost_type)
			s->found[n++] = t;
	}
	for (size_t i = 0; !rescan && i < s->n_found; i++)
		if (s->found[i]->result != -ENOENT)
			s->found[n++] = s->found[i];
	s->n_found = s->n_collected = n;
	memcpy(s->collected, s->found, n * sizeof(struct type_state *));
}

static void sampler_choose_live(struct sampler *s)
{
	s->n_collected = 0;
	for (size_t i = 0; i < s->n_found; i++)
		if (s->found[i]->live && s->found[i]->result != -ENOENT)
			s->collected[s->n_collected++] = s->found[i];
}

/*
 * Ask the worker process of a type for a sample. Returns 0 if the worker has begun the sample, or
 * -errno.
 */
static int sampler_ask_worker(struct type_state *t)
{
	struct source *s = &t->source;
	int r = s->rescan && t->c->present ? t->c->present(s) : 0;
	if (r < 0)
		worker_stop(&t->worker);
	else if (worker_ask(&t->worker, t->c, s) < 0)
		r = -EBUSY;
	return r;
}

/* Begin a sample. Returns true if a worker process reads any of the types. */
static bool sampler_begin(struct sampler *s, bool rescan)
{
	bool any = false;
	shared_clear(&s->shared, rescan);
	for (size_t i = 0; i < s->n_collected; i++) {
		struct type_state *t = s->collected[i];
		t->source.rescan = rescan;
		source_clear(&t->source);
		if (!t->isolated)
			continue;
		t->worker.listener = s->listener;
		/* workers read while this process collects the other types */
		t->result = sampler_ask_worker(t);
		any = true;
	}
	return any;
}

static void sampler_note_cost(struct sampler *s, size_t i, int64_t ns)
{
	const struct type_state *t = s->collected[i];
	s->cost[i] = (struct cost){
		.type = t->active || t->result != -ENOENT ? t->name : STR(""),
		.cpu_ns = t->isolated ? t->worker.cpu_ns : (uint64_t)ns,
		.bytes = t->source.bytes,
		.errors = t->result < 0 && t->result != -ENOENT,
		.stalls = sampler_is_stall(t->result),
	};
}

/*
 * Append a mark that counters of the type were opened. The mark lists the devices, unless the
 * counters of all devices were opened.
 */
static void type_put_restart(struct buf *b, const struct type_state *t)
{
	const struct rows *r = &t->source.rows;
	struct buf text CLEANUP(buf_free) = { 0 };
	size_t reopened = 0;

	for (size_t i = 0; i < r->n; i++)
		reopened += r->name[i].reopened;
	if (reopened == 0)
		return;
	buf_addf(&text, "%s %s", mark_verbs[MARK_RESTART], t->c->type->name);
	for (size_t i = 0; reopened < r->n && i < r->n; i++)
		if (r->name[i].reopened)
			buf_addf(&text, " " STR_FMT, STR_ARG(rows_device(r, i)));
	raw_put_mark(b, buf_str(&text));
}

/* Collect the types in .collected. Returns true if the schema has changed. */
static bool sampler_collect_asked(struct sampler *s, int64_t now, bool rescan)
{
	int64_t deadline = now + s->deadline_ns;
	bool changed = false, any_isolated = sampler_begin(s, rescan);

	s->restarts.n = 0;
	for (int isolated = 0; isolated <= any_isolated; isolated++)
		for (size_t i = 0; i < s->n_collected; i++) {
			struct type_state *t = s->collected[i];
			if (t->isolated != isolated)
				continue;
			changed |= type_collect(t, deadline, s->listener);
			s->below_changed |= type_update_below(t);
			if (t->source.rows.reopened)
				type_put_restart(&s->restarts, t);
			int64_t then = now;
			now = monotonic_ns();
			sampler_note_cost(s, i, now - then);
		}
	return changed;
}

bool sampler_collect(struct sampler *s)
{
	int64_t now = monotonic_ns();
	bool rescan = !s->scanned_ns || now - s->scanned_ns >= RESCAN_NS;

	if (rescan)
		s->scanned_ns = now;
	sampler_choose(s, rescan);
	return sampler_collect_asked(s, now, rescan);
}

bool sampler_collect_live(struct sampler *s)
{
	sampler_choose_live(s);
	s->shared.passing = true;
	bool changed = sampler_collect_asked(s, monotonic_ns(), false);
	s->shared.passing = false;
	return changed;
}

void sampler_set_live(struct sampler *s, struct str list)
{
	for (size_t i = 0; i < s->n; i++)
		s->type[i].live = type_is_listed(list, str_of(s->type[i].c->type->name));
}

static bool type_looks_between(const struct type_state *t)
{
	return t->rereads && t->result == 0;
}

bool sampler_looks_between(const struct sampler *s)
{
	for (size_t i = 0; i < s->n_found; i++)
		if (type_looks_between(s->found[i]))
			return true;
	return false;
}

bool sampler_lacks_between(const struct sampler *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct type_state *t = &s->type[i];
		if (t->rereads && t->on && !t->held_off && t->result == -ENOENT)
			return true;
	}
	return false;
}

bool sampler_look_between(struct sampler *s, bool due)
{
	bool any = false;
	for (size_t i = 0; i < s->n_found; i++) {
		struct type_state *t = s->found[i];
		if (!type_looks_between(t))
			continue;
		t->c->reread(&t->source, due);
		any = true;
	}
	return any;
}

static void type_stop(struct type_state *t, const char *why)
{
	worker_stop(&t->worker);
	source_end_state(&t->source);
	source_clear(&t->source);
	str_copy(t->source.why, sizeof(t->source.why), str_of(why));
	t->result = -ENOENT;
}

void sampler_use(struct sampler *s, const struct type *type, bool use)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->type[i].c->type == type)
			s->type[i].on = use;
	s->scanned_ns = 0;
}

void sampler_hold_off(struct sampler *s, enum collector_holds from, const char *why)
{
	if (s->held_from == from && strcmp(s->held_why, why) == 0)
		return;
	s->held_from = from;
	str_copy(s->held_why, sizeof(s->held_why), str_of(why));
	for (size_t i = 0; i < s->n; i++) {
		struct type_state *t = &s->type[i];
		bool was = t->held_off;
		t->held_off = from && t->c->holds >= from;
		if (t->held_off)
			type_stop(t, why);
		else if (was)
			sampler_look_again(s);
	}
}

void sampler_look_again(struct sampler *s)
{
	s->scanned_ns = 0;
}

size_t type_interrupts(const struct type_state *t)
{
	struct pmu_counter c;
	return t->c->planned && t->c->planned(&t->source, 0, &c) ? t->source.rows.n : 0;
}

const char *sampler_hangs_on(struct sampler *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct type_state *t = &s->type[i];
		if (!t->held_off || !t->worker.pid)
			continue;
		worker_stop(&t->worker);
		if (t->worker.pid)
			return t->c->type->name;
	}
	return NULL;
}

void sampler_put_type(const struct type_state *t, struct buf *b)
{
	const struct type *type = t->c->type;
	raw_put_schema(b, type->name, type->metrics, type->n_metrics, t->mask);
	raw_put_kinds(b, type->name, type->metrics, type->n_metrics, &t->kinds);
}

void sampler_put_schema(const struct sampler *s, struct buf *b)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->type[i].active)
			sampler_put_type(&s->type[i], b);
}

void sampler_put_below(const struct sampler *s, struct buf *b)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct type_state *t = &s->type[i];
		if (t->active && t->below_known)
			raw_put_below(b, t->c->type->name, buf_str(&t->below));
	}
}

/*
 * Scale the elapsed times of the types that this process reads, so that they add up to its CPU
 * time: waiting for a CPU is not a cost of the agent. Workers report CPU time themselves. Returns
 * the total cost, with that of the workers.
 */
static uint64_t sampler_scale_costs(struct sampler *s, uint64_t cpu_ns)
{
	uint64_t elapsed = 0, workers = 0;
	for (size_t i = 0; i < s->n_collected; i++)
		*(s->collected[i]->isolated ? &workers : &elapsed) += s->cost[i].cpu_ns;
	double share = elapsed > cpu_ns ? (double)cpu_ns / (double)elapsed : 1;
	for (size_t i = 0; share < 1 && i < s->n_collected; i++)
		if (!s->collected[i]->isolated)
			s->cost[i].cpu_ns = (uint64_t)((double)s->cost[i].cpu_ns * share);
	return cpu_ns + workers;
}

void sampler_put_rows(struct sampler *s, struct buf *b, uint64_t errors, uint64_t stalls)
{
	struct type_state *cost = s->cost_type;
	buf_add(b, buf_str(&s->restarts));
	for (size_t i = 0; i < s->n_collected; i++) {
		struct type_state *t = s->collected[i];
		if (t->result == 0)
			s->cost[i].rows = raw_put_rows(b, t->name, &t->source.rows, t->mask,
						       &t->kinds);
	}
	int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t used = (uint64_t)(cpu - s->cpu_ns);
	s->cpu_ns = cpu;
	used = sampler_scale_costs(s, used);
	source_clear(&cost->source);
	struct costs *costs = source_state(&cost->source, sizeof(*costs));
	*costs = (struct costs){
		.type = s->cost, .n = s->n_collected,
		.agent = { .cpu_ns = used, .errors = errors, .stalls = stalls,
			   .boot_us = s->boot_us },
	};
	cost->collect(&cost->source);
	raw_put_rows(b, cost->name, &cost->source.rows, cost->mask, &cost->kinds);
}
