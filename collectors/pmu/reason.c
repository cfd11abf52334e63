/* SPDX-License-Identifier: BSD-3-Clause */
/* reason.c - explain why counters are missing */
#include "collectors/pmu/reason.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Likely causes of errors of perf_event_open(2). */
static const struct {
	int error;
	const char *meaning;
} meanings[] = {
	{ EBUSY,      " (reserved by another program)" },
	{ EINVAL,     " (this processor has fewer or different counters)" },
	{ ENODEV,     " (a virtual machine without them?)" },
	{ ENOENT,     " (a virtual machine without them?)" },
	{ ENOSYS,     " (a kernel without perf events)" },
	{ ENXIO,      " (a virtual machine without them?)" },
	{ EOPNOTSUPP, " (a virtual machine without them?)" },
};

/*
 * Explain perf_event_paranoid. CAP_PERFMON overrides the levels that Linux defines, up to 2. Debian
 * and Ubuntu add higher levels, which are their default (3 with Linux 6.1 of Debian 12) and which
 * only CAP_SYS_ADMIN overrides.
 */
static int not_permitted(struct source *s, int error)
{
	struct str text, level = STR("unknown");
	if (source_read(s, "proc/sys/kernel/perf_event_paranoid", &text) == 0 && text.n < 8)
		level = str_trim(text);
	if (level.n == 1 && *level.p > '2' && *level.p <= '9')
		return source_absent(s, "perf_event_open: %s: perf_event_paranoid is " STR_FMT
				     ", and CAP_PERFMON helps only up to 2: nodometer-security(7)",
				     strerror(-error), STR_ARG(level));
	return source_absent(s, "perf_event_open: %s: perf_event_paranoid is " STR_FMT
			     " and CAP_PERFMON is missing", strerror(-error), STR_ARG(level));
}

int pmu_refused(struct source *s, const struct pmu_group *g, size_t counters, int error)
{
	const char *meaning = "";
	switch (error) {
	case -EACCES:
	case -EPERM:
		return not_permitted(s, error);
	case -EMFILE:
	case -ENFILE:
		return source_absent(s, "%zu counters need more file descriptors than allowed",
				     counters);
	}
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (meanings[i].error == -error)
			meaning = meanings[i].meaning;
	return source_absent(s, "perf_event_open: %u counters of %s on CPU %d: %s%s", g->n, g->pmu,
			     g->cpu, strerror(-error), meaning);
}

static bool watchdog_is_on(struct source *s)
{
	struct str text;
	return source_read(s, "proc/sys/kernel/nmi_watchdog", &text) == 0 && str_peek(text) == '1';
}

/*
 * Returns true if hyper-threading halves the number of counters. This affects only counters of
 * cores, not counters of memory controllers and links.
 */
static bool lends_half(const struct pmu_plan *p)
{
	if (!p->n || strcmp(p->group[0].pmu, "cpu") != 0)
		return false;
	for (size_t i = 0; i < n_pmu_processors; i++)
		if (pmu_processors[i]->lends_half && pmu_processor_is(pmu_processors[i], p->id))
			return p->threads;
	return false;
}

int pmu_never_ran(struct source *s, const struct pmu_plan *p)
{
	return source_absent(s, "the counters did not run: %s", watchdog_is_on(s) ?
			     "the NMI watchdog holds one (kernel.nmi_watchdog is 1)" :
			     lends_half(p) ?
			     "with hyper-threading, Linux lends a thread half of them (erratum)" :
			     "other programs hold them, or types that take turns with this one");
}

int pmu_not_this_processor(struct source *s, const struct pmu_plan *p, const char *mine)
{
	static const char *const vendors[] = { "unknown", "Intel", "AMD", "ARM", "IBM" };
	const struct type *t = s->data;
	char whose[72] = "";
	size_t n = 0;
	for (size_t i = 0; i < n_pmu_processors; i++)
		if (pmu_processor_has(pmu_processors[i], t->name) && n < sizeof(whose) - 1) {
			const char *name = pmu_processors[i]->name;
			if (n + strlen(name) + 8 > sizeof(whose))
				name = "...";
			n += (size_t)snprintf(whose + n, sizeof(whose) - n, "%s%s", n ? ", " : "",
					      name);
			if (*name == '.')
				break;
		}
	if (mine)
		return source_absent(s, "processor is %s; the type is for %s", mine, whose);
	if (p->id.vendor == PMU_ANY)
		return source_absent(s, "unknown processor; the type is for %s", whose);
	return source_absent(s, "processor is %s %s %u model %u; the type is for %s",
			     vendors[p->id.vendor],
			     p->id.vendor == PMU_ARM ? "implementer" : "family", p->id.family,
			     p->id.model, whose);
}
