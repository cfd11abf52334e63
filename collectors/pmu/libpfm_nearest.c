/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm_nearest.c - encode an event by its name, or suggest a similar name */
#include "collectors/pmu/libpfm_nearest.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/nearest.h"
#include "base/str.h"
#include "collectors/pmu/pmu.h"

#define MEANT "%.40s has no %.40s; did you mean %.50s?"

/* The parts of "skx::INST_RETIRED:ANY_P:u". */
struct name_parts {
	char pmu[LIBPFM_PMU_MAX];	/* "" if the name has no PMU */
	char event[LIBPFM_TEXT_MAX];
	struct str attributes;
};

static void to_upper(char *s)
{
	for (; *s; s++)
		*s = (char)toupper((unsigned char)*s);
}

static void take_parts(const char *text, struct name_parts *p)
{
	const char *colons = strstr(text, "::");
	struct str rest = str_of(colons ? colons + 2 : text), event;
	*p = (struct name_parts){ .pmu = "" };
	if (colons)
		str_copy(p->pmu, sizeof(p->pmu), (struct str){ text, (size_t)(colons - text) });
	if (!str_take_until(&rest, ':', &event)) {
		event = rest;
		rest = STR("");
	}
	str_copy(p->event, sizeof(p->event), event);
	to_upper(p->event);
	p->attributes = rest;
}

/*
 * Returns true if the event is to be searched in this PMU: the PMU in the name or, if the name has
 * none, any PMU of this machine or in `ours`.
 */
static bool is_meant(const struct libpfm_pmu *pmu, const struct name_parts *p,
		     const char *const *ours, size_t n)
{
	size_t len = strlen(p->pmu);
	if (len)	/* a name such as "skx_unc_imc" also matches the PMU skx_unc_imc0 */
		return strncasecmp(pmu->name, p->pmu, len) == 0 &&
		       (!pmu->name[len] || strcmp(pmu->name + len, "0") == 0);
	for (size_t i = 0; i < n; i++)
		if (strcmp(ours[i], pmu->name) == 0)
			return true;
	return pmu->present;
}

/*
 * Find the event with this name, or note the most similar name in *near. Returns false if there is
 * no such PMU.
 */
static bool libpfm_find_event(const struct name_parts *p, const char *const *ours, size_t n,
			      struct nearest *near, struct libpfm_event *found)
{
	struct libpfm_pmu pmu;
	struct libpfm_event e;
	bool any = false;
	int r;
	for (int i = 0; (r = libpfm_pmu_at(i, &pmu)) >= 0; i++) {
		if (r == 0 || !is_meant(&pmu, p, ours, n))
			continue;
		any = true;
		for (int at = pmu.first; libpfm_event_at(at, &e, &at); ) {
			nearest_try(near, p->event, e.name);
			if (strcasecmp(e.name, p->event) == 0)
				*found = e;
		}
	}
	return any;
}

/* Get the name of all boxes of a kind: "skx_unc_imc" for "skx_unc_imc0". */
static struct str without_number(const char *pmu)
{
	struct str s = str_of(pmu);
	while (strstr(pmu, "_unc_") && s.n && isdigit((unsigned char)s.p[s.n - 1]))
		s.n--;
	return s;
}

/*
 * Returns true if the PMU is in nodometer's table of any processor. The tables cover all
 * architectures, whereas libpfm4 only knows the PMUs of the architecture that it was built for.
 */
static bool is_of_tables(const char *pmu)
{
	struct str want = without_number(pmu);
	for (size_t i = 0; i < n_pmu_processors; i++)
		for (size_t u = 0; u < pmu_processors[i]->n_units; u++) {
			struct str has = without_number(pmu_processors[i]->units[u].libpfm);
			if (has.n && has.n == want.n && strncasecmp(has.p, want.p, has.n) == 0)
				return true;
		}
	return false;
}

static void explain_pmu(const struct name_parts *p, char *why)
{
	struct libpfm_pmu pmu;
	struct nearest near = { NULL, 0 };
	int r;
	for (int i = 0; (r = libpfm_pmu_at(i, &pmu)) >= 0; i++)
		if (r > 0)
			nearest_try(&near, p->pmu, pmu.name);
	snprintf(why, LIBPFM_TEXT_MAX, near.best ? "libpfm4 has no PMU %s; did you mean %s?" :
		 "libpfm4 has no PMU %s%s", p->pmu, near.best ? near.best : "");
}

static bool is_attribute(const struct libpfm_event *e, const char *word, struct nearest *near)
{
	struct libpfm_attribute a;
	for (int i = 0; libpfm_attribute_at(e, i, &a); i++) {
		if (strcasecmp(a.name, word) == 0)
			return true;
		nearest_try(near, word, a.name);
	}
	return false;
}

static size_t put_umasks(const struct libpfm_event *e, char *why, size_t n)
{
	struct libpfm_attribute a;
	for (int i = 0; n < LIBPFM_TEXT_MAX && libpfm_attribute_at(e, i, &a); i++)
		if (a.umask)
			n += (size_t)snprintf(why + n, LIBPFM_TEXT_MAX - n, " %s", a.name);
	return n;
}

/*
 * Explain the first unit mask or modifier that the event does not have. Returns false if there is
 * none.
 */
static bool explain_attribute(const struct name_parts *p, const struct libpfm_event *e, char *why)
{
	struct str rest = p->attributes, item, name;
	while (rest.n) {
		char word[LIBPFM_TEXT_MAX];
		struct nearest near = { NULL, 0 };
		if (!str_take_until(&rest, ':', &item)) {
			item = rest;
			rest = STR("");
		}
		name = item;
		str_take_until(&item, '=', &name);
		str_copy(word, sizeof(word), name);
		if (is_attribute(e, word, &near))
			continue;
		if (near.best)
			snprintf(why, LIBPFM_TEXT_MAX, MEANT, e->name, word,
				 near.best);
		else
			put_umasks(e, why, (size_t)snprintf(why, LIBPFM_TEXT_MAX,
				   "%.40s has no %.40s; it has", e->name, word));
		return true;
	}
	return false;
}

static void explain_event(const struct name_parts *p, const struct nearest *near, char *why)
{
	const char *where = *p->pmu ? p->pmu : "libpfm4 for this processor";
	if (near->best)
		snprintf(why, LIBPFM_TEXT_MAX, MEANT, where, p->event, near->best);
	else
		snprintf(why, LIBPFM_TEXT_MAX,
			 "%.40s has no %.40s; \"nodometer events\" lists them", where, p->event);
}

/* Write to `why` which part of the name is wrong: PMU, event or attribute. */
static enum libpfm_result libpfm_explain(const char *event, const char *const *ours, size_t n,
					 const char *what, char *why)
{
	struct name_parts p;
	struct nearest near = { NULL, 0 };
	struct libpfm_event found = { .name = NULL };
	take_parts(event, &p);
	bool any = libpfm_find_event(&p, ours, n, &near, &found);
	if (!any && is_of_tables(p.pmu)) {
		snprintf(why, LIBPFM_TEXT_MAX, "%s belongs to another architecture", p.pmu);
		return LIBPFM_ABSENT;
	}
	if (!any && *p.pmu)
		explain_pmu(&p, why);
	else if (!found.name)
		explain_event(&p, &near, why);
	else if (!explain_attribute(&p, &found, why)) {
		size_t at = (size_t)snprintf(why, LIBPFM_TEXT_MAX, "%.60s: %.60s; it has",
					     found.name, *what ? what : "not found");
		put_umasks(&found, why, at);
	}
	return LIBPFM_WRONG;
}

void libpfm_encode(const char *event, const char *const *ours, size_t n, struct libpfm_answer *a)
{
	int r = -ENOENT;
	*a = (struct libpfm_answer){ .result = LIBPFM_WRONG };
	bool named = strstr(event, "::");
	for (size_t i = named ? n : 0; i <= n && r == -ENOENT; i++)
		r = libpfm_try(i < n ? ours[i] : "", event, a);
	if (r == 0)
		a->result = LIBPFM_FOUND;
	else if (!a->why[0])
		a->result = libpfm_explain(event, ours, n, a->message, a->why);
}
