/* SPDX-License-Identifier: BSD-3-Clause */
/* named.c - make types of the counters in the configuration, one type per line */
#include "collectors/pmu/named.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

#define NAME_MAX_LETTERS 32

bool named_take_alias(struct str text, struct named_alias *ret)
{
	struct named_alias a;
	if (!str_take_until(&text, '/', &a.pmu) || !str_take_until(&text, '/', &a.terms))
		return false;
	a.modifiers = text;
	*ret = a;
	return a.pmu.n > 0 && a.terms.n > 0;
}

/* Split off the next event. An alias may have commas between its slashes. */
static bool named_take_event(struct str *in, struct str *event)
{
	bool inside = false;
	size_t i = 0;
	*in = str_trim(*in);
	if (in->n == 0)
		return false;
	for (; i < in->n && (inside || in->p[i] != ','); i++)
		inside ^= in->p[i] == '/';
	*event = str_trim((struct str){ in->p, i });
	*in = str_skip(*in, i < in->n ? i + 1 : i);
	return true;
}

static bool named_is_name(const char *name)
{
	size_t n = 0;
	for (; name[n]; n++)
		if (!islower((unsigned char)name[n]) && !isdigit((unsigned char)name[n]) &&
		    name[n] != '_')
			return false;
	return n > 0 && n <= NAME_MAX_LETTERS;
}

static bool is_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isgraph((unsigned char)s.p[i]))
			return false;
	return s.n > 0 && s.n < NAMED_EVENT_MAX;
}

/*
 * Make the key of an event: its name without the PMU. Replace characters that are not allowed in a
 * key by "_".
 */
static void make_key(struct named_event *e)
{
	struct named_alias a;
	const char *colons = strstr(e->text, "::");
	if (named_take_alias(str_of(e->text), &a))
		snprintf(e->key, sizeof(e->key), STR_FMT "%s" STR_FMT, STR_ARG(a.terms),
			 a.modifiers.n ? ":" : "", STR_ARG(a.modifiers));
	else
		str_copy(e->key, sizeof(e->key), str_of(colons ? colons + 2 : e->text));
	for (char *c = e->key; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_:.-", *c))
			*c = '_';
}

static bool add_event(struct named_type *t, struct str text, struct buf *why)
{
	if (!is_text(text)) {
		buf_addf(why, "%s: use commas, without blanks, between events", t->name);
		return false;
	}
	if (t->n == PMU_GROUP) {
		buf_addf(why, "%s: more than %d events: no processor can count so many at the same "
			 "time; use at most %d", t->name, PMU_GROUP, PMU_GROUP);
		return false;
	}
	if (str_has(text, '/') && !named_take_alias(text, &(struct named_alias){ { 0 } })) {
		buf_addf(why, "%s: %.*s: expected PMU/TERM=VALUE,.../ or an event name of libpfm4",
			 t->name, (int)text.n, text.p);
		return false;
	}
	struct named_event *e = &t->event[t->n];
	str_copy(e->text, sizeof(e->text), text);
	make_key(e);
	if (!e->key[0]) {
		buf_addf(why, "%s: %s names a PMU but no event", t->name, e->text);
		return false;
	}
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->event[i].key, e->key) == 0) {
			buf_addf(why, "%s: two events have the key %s", t->name, e->key);
			return false;
		}
	t->n++;
	return true;
}

static void named_make_type(struct named_type *t)
{
	static const struct type_counters places = {
		.ctl = TYPE_NO_KEY, .ctr = 0, .fixed = PMU_EVENTS, .named = true,
	};
	for (size_t i = 0; i < t->n; i++)
		t->metrics[i] = (struct metric){
			t->event[i].key, COUNTER, t->event[i].unit, t->event[i].text,
		};
	t->metrics[t->n] = (struct metric){
		"time_enabled", COUNTER, "ns", "time since these counters were opened",
	};
	t->metrics[t->n + 1] = (struct metric){
		"time_running", COUNTER, "ns", "time of it in which they counted",
	};
	snprintf(t->about, sizeof(t->about), "counters that the configuration names");
	t->type = (struct type){
		.name = t->name, .about = t->about, .source = "perf_event_open(2)",
		.device = "logical CPU, package/box, or the CPU that reads a package",
		.metrics = t->metrics, .n_metrics = t->n + PMU_TIME_KEYS, .counters = &places,
	};
	t->unit.type = t->name;
}

static bool named_parse_events(struct named_type *t, const char *events, struct buf *why)
{
	struct str rest = str_of(events), event;
	while (named_take_event(&rest, &event))
		if (!add_event(t, event, why))
			return false;
	if (t->n == 0)
		buf_addf(why, "%s: no event; name at least one", t->name);
	return t->n > 0;
}

/*
 * Add a type. If an earlier configuration file has defined a type of this name, replace that type.
 */
static void named_put_type(struct named_types *all, struct named_type *t)
{
	size_t i = 0;
	while (i < all->n && strcmp(all->type[i]->name, t->name) != 0)
		i++;
	if (i == all->n)
		all->n++;
	else
		free(all->type[i]);
	all->type[i] = t;
}

bool named_add(struct named_types *all, const char *name, const char *events, const char *file,
	       int line, struct buf *why)
{
	if (!named_is_name(name)) {
		buf_addf(why, "%s: invalid name: use at most %d lowercase letters, digits and _",
			 name,
			 NAME_MAX_LETTERS);
		return false;
	}
	if (all->n == NAMED_TYPES_MAX) {
		buf_addf(why, "more than %d lines in [counters]", NAMED_TYPES_MAX);
		return false;
	}
	struct named_type *t = xrealloc(NULL, sizeof(*t));
	memset(t, 0, sizeof(*t));
	snprintf(t->name, sizeof(t->name), "pmc_%s", name);
	snprintf(t->where, sizeof(t->where), "%s:%d", file, line);
	if (!named_parse_events(t, events, why)) {
		free(t);
		return false;
	}
	named_make_type(t);
	named_put_type(all, t);
	return true;
}

void named_free(struct named_types *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->type[i]);
	all->n = 0;
}
