/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pmu_names.c - resolve all events of all processors that libpfm4 knows, as [counters] does */
#include <stdio.h>
#include <string.h>
#include "collectors/pmu/libpfm_nearest.h"

static bool resolves(const struct libpfm_pmu *pmu, const struct libpfm_event *e, const char *rest)
{
	char name[2 * LIBPFM_TEXT_MAX];
	struct libpfm_answer a = { .result = LIBPFM_UNASKED };
	snprintf(name, sizeof(name), "%s%s", e->name, rest);
	return libpfm_try(pmu->name, name, &a) == 0;
}

/*
 * Count the names of an event that resolve: the event alone, with each unit mask, and, if none
 * resolved yet, with a filter of an uncore box, which needs a value.
 */
static unsigned names_that_resolve(const struct libpfm_pmu *pmu, const struct libpfm_event *e)
{
	struct libpfm_attribute attribute;
	unsigned n = resolves(pmu, e, "");
	for (int i = 0; libpfm_attribute_at(e, i, &attribute); i++) {
		char rest[LIBPFM_TEXT_MAX];
		snprintf(rest, sizeof(rest), attribute.umask ? ":%s" : ":%s=1", attribute.name);
		n += (attribute.umask || n == 0) && resolves(pmu, e, rest);
	}
	return n;
}

/*
 * Print the error that a user sees for an event that does not resolve. Returns true if the error
 * contains the event's name.
 */
static bool explains(const struct libpfm_pmu *pmu, const struct libpfm_event *e)
{
	char name[2 * LIBPFM_TEXT_MAX];
	struct libpfm_answer a;
	snprintf(name, sizeof(name), "%s::%s", pmu->name, e->name);
	libpfm_encode(name, NULL, 0, &a);
	printf("%s: %s\n", name, a.why);
	return a.result == LIBPFM_WRONG && strstr(a.why, e->name);
}

/*
 * The sampling facility of s390 has no counters: libpfm4 4.13 lists its two events but finds
 * neither.
 */
static bool only_samples(const struct libpfm_pmu *pmu)
{
	return strcmp(pmu->name, "cpum_sf") == 0;
}

int main(void)
{
	struct libpfm_pmu pmu;
	struct libpfm_event e;
	unsigned pmus = 0, events = 0, names = 0, without = 0, silent = 0;
	const char *why;
	int r;
	if (libpfm_load(&why) < 0) {
		printf("skipped: %s\n", why);
		return 77;
	}
	for (int i = 0; (r = libpfm_pmu_at(i, &pmu)) >= 0; i++) {
		pmus += r > 0;
		for (int at = r > 0 ? pmu.first : -1; libpfm_event_at(at, &e, &at); events++) {
			unsigned n = names_that_resolve(&pmu, &e);
			names += n;
			without += n == 0 && !only_samples(&pmu);
			silent += n == 0 && !explains(&pmu, &e);
		}
	}
	printf("%u PMUs, %u events, %u names resolved, %u events without one\n", pmus, events,
	       names, without);
	/*
	 * Allow a few events without a name: libpfm4 4.13, for example, refuses every mask of
	 * snb::MEM_LOAD_UOPS_LLC_MISS_RETIRED.
	 */
	return silent || without > 1 + events / 1000 || names < events;
}
