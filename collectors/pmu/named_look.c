/* SPDX-License-Identifier: BSD-3-Clause */
/* named_look.c - counters that the configuration names: what the kernel has of them now */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "base/vec.h"
#include "collectors/pmu/alias.h"
#include "collectors/pmu/named_parts.h"
#include "collectors/pmu/plan.h"
#include "collectors/pmu/sysfs.h"

const struct collector *named_collector(struct named_type *t)
{
	t->collector = (struct collector){
		.type = &t->type, .data = &t->type, .collect = pmu_collect,
		.planned = pmu_planned, .holds = HOLDS_HARDWARE,
	};
	return &t->collector;
}

static bool has_pmu(struct source *s, const char *name)
{
	uint32_t type;
	return pmu_read_type(s, name, &type) == 0;
}

/* Of the cores: one PMU on most machines, named after the architecture on ARM and s390x. */
static void core_pmu(struct source *s, char *to, size_t size)
{
	static const char *const names[] = { "cpu", "cpu_core", "cpum_cf" };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (has_pmu(s, names[i])) {
			str_copy(to, size, str_of(names[i]));
			return;
		}
	bool arm = source_devices(s, PMU_SOURCES, "armv8_") > 0;
	str_copy(to, size, str_of(arm ? source_device_name(s, 0) : "cpu"));
}

void named_kernel_pmu(struct source *s, const struct libpfm_answer *a, char *to, size_t size)
{
	const char *box = strstr(a->pmu, "_unc_");
	if (a->kind == LIBPFM_CORE) {
		core_pmu(s, to, size);
		return;
	}
	if (!box) {
		str_copy(to, size, strstr(a->pmu, "rapl") ? STR("power") : str_of(a->pmu));
		return;
	}
	box += strlen("_unc_");
	size_t n = strlen(box), digits = 0;
	while (digits < n && isdigit((unsigned char)box[n - digits - 1]))
		digits++;
	/* libpfm4 writes cbo, ubo and sbo where Linux has cbox, ubox and sbox */
	bool short_box = n - digits == 3 && box[1] == 'b' && box[2] == 'o';
	snprintf(to, size, "uncore_%.*s%s%s%s", (int)(n - digits), box, short_box ? "x" : "",
		 digits ? "_" : "", box + n - digits);
}

/* A folder of this PMU, or of one of its boxes. */
static bool find_folder(struct source *s, const char *pmu, char *to, size_t size)
{
	int n = source_devices(s, PMU_SOURCES, pmu);
	for (int i = 0; i < n; i++) {
		const char *name = source_device_name(s, (size_t)i);
		struct str rest = str_of(name + strlen(pmu));
		if (rest.n == 0 || (str_take_prefix(&rest, STR("_")) && str_is_u64(rest)))
			return str_copy(to, size, str_of(name));
	}
	return false;
}

static unsigned excluded(struct str modifiers)
{
	unsigned only = 0;
	for (; modifiers.n; modifiers = str_skip(modifiers, 1))
		only |= str_peek(modifiers) == 'u' ? LIBPFM_NO_USER :
			str_peek(modifiers) == 'k' ? LIBPFM_NO_KERNEL : LIBPFM_NO_HV;
	return only ? only ^ (LIBPFM_NO_USER | LIBPFM_NO_KERNEL | LIBPFM_NO_HV) : 0;
}

static bool are_modifiers(struct str s)
{
	while (s.n && memchr("ukh", *s.p, 3))
		s = str_skip(s, 1);
	return s.n == 0;
}

static int look_at_alias(struct source *s, struct named_type *t, size_t i, char *why)
{
	struct named_event *n = &t->event[i];
	struct pmu_event *e = named_event_at(t, i);
	struct named_alias a;
	char folder[NAME_SIZE], text[ALIAS_WHY_MAX] = "";
	named_take_alias(str_of(n->text), &a);
	str_copy(n->pmu, sizeof(n->pmu), a.pmu);
	if (!are_modifiers(a.modifiers)) {
		snprintf(why, NAMED_WRONG_MAX, "%s: after the second / want letters of u, k and h",
			 n->text);
		return -EINVAL;
	}
	if (!find_folder(s, n->pmu, folder, sizeof(folder)))
		return pmu_no_source(s, n->pmu);
	int r = alias_encode(s, folder, a.terms, e, n->unit, text);
	snprintf(why, NAMED_WRONG_MAX, "%s: %s", n->text, text);
	e->exclude = excluded(a.modifiers);
	n->known = r == 0;
	return r;
}

/* Such events can be read on any CPU, so that rows of any core may have them. */
static bool is_anywhere(const struct named_event *e)
{
	return !*e->pmu || strcmp(e->pmu, "software") == 0 || strcmp(e->pmu, "msr") == 0;
}

static int choose_pmu(struct named_type *t, char *why)
{
	const char *pmu = NULL;
	for (size_t i = 0; i < t->n; i++) {
		if (is_anywhere(&t->event[i]))
			continue;
		if (pmu && strcmp(pmu, t->event[i].pmu) != 0) {
			snprintf(why, NAMED_WRONG_MAX, "%s and %s count on different devices; give "
				 "each a line of its own", pmu, t->event[i].pmu);
			return -EINVAL;
		}
		pmu = t->event[i].pmu;
	}
	if (!pmu && *t->event[0].pmu)
		pmu = t->event[0].pmu;
	t->unit.pmu = pmu;
	for (size_t i = 0; i < t->n; i++) {
		struct pmu_event *e = named_event_at(t, i);
		e->name = t->event[i].text;
		e->pmu = *t->event[i].pmu && pmu && strcmp(pmu, t->event[i].pmu) != 0 ?
			 t->event[i].pmu : NULL;
	}
	return 0;
}

/* How rows are called follows from the PMU's cpumask: without one, each CPU has its own. */
static int look_at_devices(struct source *s, struct named_type *t, char *why)
{
	char folder[NAME_SIZE], mask[256];
	int r = choose_pmu(t, why);
	if (r < 0)
		return r;
	t->unit.scope = PMU_PER_CPU;
	if (!t->unit.pmu || !find_folder(s, t->unit.pmu, folder, sizeof(folder)))
		return 0;	/* the plan says what is missing */
	if (pmu_read_cpumask(s, folder, mask, sizeof(mask))) {
		const char *end = strrchr(folder, '_');
		t->unit.scope = end && str_is_u64(str_of(end + 1)) ? PMU_PER_BOX : PMU_BY_CPU;
	}
	return 0;
}

static int look(struct source *s, struct named_type *t, char *why)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < t->n; i++)
		if (!t->event[i].known || strchr(t->event[i].text, '/'))
			r = look_at_alias(s, t, i, why);
	return r == 0 ? look_at_devices(s, t, why) : r;
}

static int too_many(const struct named_type *t, size_t fit, char *why)
{
	snprintf(why, NAMED_WRONG_MAX, "%zu events need a counter each, and %zu fit at a time; "
		 "move the rest to another line", t->n, fit);
	return -EINVAL;
}

/* How many the kernel takes on the first device; it is asked, and nothing counts. */
static int try_group(struct source *s, struct named_type *t, char *why)
{
	struct pmu_plan p = { .seen = false };
	int r = pmu_make_plan(s, &p);
	int fit = r == 0 && p.n && !s->files.in_root ? pmu_try_group(&p.group[0]) : (int)t->n;
	free(p.group);
	if (r == -ENOENT)
		return r;
	return fit > 0 && (size_t)fit < t->n ? too_many(t, (size_t)fit, why) : 0;
}

int named_check(struct source *s, struct named_type *t, char why[NAMED_WRONG_MAX])
{
	size_t counted = 0;
	int r = look(s, t, why);
	if (r == -ENOENT)
		return r;
	for (size_t i = 0; i < t->n; i++)
		counted += !is_anywhere(&t->event[i]);
	if (r == 0 && counted > t->fits)
		r = too_many(t, t->fits, why);
	t->resolved = true;
	return r == 0 ? try_group(s, t, why) : r;
}

int named_look(struct source *s, struct named_type *t)
{
	char why[NAMED_WRONG_MAX] = "";
	if (!t->resolved) {
		struct named_types one = { 1, { t } };
		struct buf errors CLEANUP(buf_free) = { 0 }, warnings CLEANUP(buf_free) = { 0 };
		int r = named_resolve(&one, &s->files, &errors, &warnings);
		if (r < 0 && r != -EINVAL)
			return r;
	}
	if (t->why[0])
		return source_absent(s, "%s", t->why);
	int r = look(s, t, why);
	return r == -EINVAL ? source_absent(s, "%.110s", why) : r;
}
