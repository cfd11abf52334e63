/* SPDX-License-Identifier: BSD-3-Clause */
/* named_resolve.c - look up the events of counters in the configuration */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/names.h"
#include "base/system/apart.h"
#include "collectors/pmu/alias.h"
#include "collectors/pmu/libpfm.h"
#include "collectors/pmu/libpfm_nearest.h"
#include "collectors/pmu/named.h"
#include "collectors/pmu/plan.h"
#include "collectors/pmu/sysfs.h"

#define WRONG_MAX 400

/* Get event i of the type's unit. */
static struct pmu_event *event_at(struct named_type *t, size_t i)
{
	return i < PMU_EVENTS ? &t->unit.event[i] : &t->unit.fixed[i - PMU_EVENTS];
}

static bool has_pmu(struct source *s, const char *name)
{
	uint32_t type;
	return pmu_read_type(s, name, &type) == 0;
}

/*
 * Find the kernel's name of the PMU that counts for cores. On ARM and s390x, the name depends on
 * the processor.
 */
static void core_pmu(struct source *s, char *to, size_t size)
{
	static const char *const names[] = { "cpu", "cpu_core", "cpum_cf" };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (has_pmu(s, names[i])) {
			str_copy(to, size, str_of(names[i]));
			return;
		}
	if (!pmu_first(s, "armv8_", to, size))
		str_copy(to, size, STR("cpu"));
}

/* Convert libpfm4's name of a PMU, such as skx_unc_imc, to the kernel's, uncore_imc. */
static void kernel_pmu(struct source *s, const struct libpfm_answer *a, char *to, size_t size)
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
	/* the boxes that libpfm4 calls cbo, ubo and sbo are cbox, ubox and sbox in Linux */
	bool short_box = n - digits == 3 && box[1] == 'b' && box[2] == 'o';
	snprintf(to, size, "uncore_%.*s%s%s%s", (int)(n - digits), box, short_box ? "x" : "",
		 digits ? "_" : "", box + n - digits);
}

/* Find the directory of this PMU or of one of its boxes. */
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
	struct pmu_event *e = event_at(t, i);
	struct named_alias a;
	char folder[NAME_SIZE], text[ALIAS_WHY_MAX] = "";
	named_take_alias(str_of(n->text), &a);
	str_copy(n->pmu, sizeof(n->pmu), a.pmu);
	if (!are_modifiers(a.modifiers)) {
		snprintf(why, WRONG_MAX, "%s: after the second / use only the letters u, k and h",
			 n->text);
		return -EINVAL;
	}
	if (!find_folder(s, n->pmu, folder, sizeof(folder)))
		return pmu_no_source(s, n->pmu);
	int r = alias_encode(s, folder, a.terms, e, n->unit, text);
	snprintf(why, WRONG_MAX, "%s: %s", n->text, text);
	e->exclude = excluded(a.modifiers);
	n->known = r == 0;
	return r;
}

/*
 * Returns true for the kernel's own events (LIBPFM_KERNEL), software events and events of PMU msr.
 * Any CPU can count these events, so they can be combined with the events of any other PMU.
 */
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
			snprintf(why, WRONG_MAX, "%s and %s count on different devices; put each "
				 "on a separate line", pmu, t->event[i].pmu);
			return -EINVAL;
		}
		pmu = t->event[i].pmu;
	}
	if (!pmu && *t->event[0].pmu)
		pmu = t->event[0].pmu;
	t->unit.pmu = pmu;
	for (size_t i = 0; i < t->n; i++) {
		struct pmu_event *e = event_at(t, i);
		e->name = t->event[i].text;
		e->pmu = *t->event[i].pmu && pmu && strcmp(pmu, t->event[i].pmu) != 0 ?
			 t->event[i].pmu : NULL;
	}
	return 0;
}

/*
 * Choose what a device of the type is. If the PMU has a cpumask, a device is a box or a package,
 * depending on the PMU's name; otherwise each CPU is a device.
 */
static int look_at_devices(struct source *s, struct named_type *t, char *why)
{
	char folder[NAME_SIZE], mask[256];
	int r = choose_pmu(t, why);
	if (r < 0)
		return r;
	t->unit.scope = PMU_PER_CPU;
	if (!t->unit.pmu || !find_folder(s, t->unit.pmu, folder, sizeof(folder)))
		return 0;	/* pmu_plan_unit() reports the missing PMU */
	if (pmu_read_cpumask(s, folder, mask, sizeof(mask))) {
		const char *end = strrchr(folder, '_');
		t->unit.scope = end && str_is_u64(str_of(end + 1)) ? PMU_PER_BOX : PMU_BY_CPU;
	}
	return 0;
}

static int named_find(struct source *s, struct named_type *t, char *why)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < t->n; i++)
		if (!t->event[i].known || strchr(t->event[i].text, '/'))
			r = look_at_alias(s, t, i, why);
	return r == 0 ? look_at_devices(s, t, why) : r;
}

static int too_many(const struct named_type *t, size_t fit, char *why)
{
	snprintf(why, WRONG_MAX, "%zu events need a counter each, but only %zu can be counted at "
		 "the same time; move the rest to another line", t->n, fit);
	return -EINVAL;
}

/* Open a group on the first device, to find out how many events fit. */
static int try_group(struct source *s, struct named_type *t, char *why)
{
	struct pmu_plan p = { .seen = false };
	int r = pmu_plan_unit(s, &p, &t->unit);
	int fit = r == 0 && p.n && !s->files.in_root ? pmu_try_group(&p.group[0]) : (int)t->n;
	free(p.group);
	if (r == -ENOENT)
		return r;
	return fit > 0 && (size_t)fit < t->n ? too_many(t, (size_t)fit, why) : 0;
}

/*
 * Look up aliases, and check that all events fit together on the same devices. Returns 0; -ENOENT
 * if a PMU is missing, with the PMU's name in s->why (the PMU may appear when a module is loaded);
 * or -EINVAL, with the reason in why, if the type's line is wrong.
 */
static int named_check(struct source *s, struct named_type *t, char why[WRONG_MAX])
{
	size_t counted = 0;
	int r = named_find(s, t, why);
	if (r == -ENOENT)
		return r;
	for (size_t i = 0; i < t->n; i++)
		counted += !is_anywhere(&t->event[i]);
	if (r == 0 && counted > t->fits)
		r = too_many(t, t->fits, why);
	t->resolved = true;
	return r == 0 ? try_group(s, t, why) : r;
}

/* Memory shared with the process that loads libpfm4. */
struct named_query {
	bool done;
	size_t n_ours, n;
	char ours[LIBPFM_OURS_MAX][LIBPFM_PMU_MAX];
	struct {
		char event[LIBPFM_TEXT_MAX];
		struct libpfm_answer answer;
	} entry[NAMED_TYPES_MAX * PMU_GROUP];
};

static void named_query_libpfm(void *arg)
{
	struct named_query *a = arg;
	const char *why, *ours[LIBPFM_OURS_MAX];
	int r = libpfm_load(&why);
	for (size_t i = 0; i < a->n_ours; i++)
		ours[i] = a->ours[i];
	for (size_t i = 0; i < a->n; i++) {
		struct libpfm_answer *answer = &a->entry[i].answer;
		if (r == 0) {
			libpfm_encode(a->entry[i].event, ours, a->n_ours, answer);
			continue;
		}
		*answer = (struct libpfm_answer){ .result = LIBPFM_ABSENT };
		snprintf(answer->why, sizeof(answer->why), "event names need libpfm4: %.120s", why);
	}
	a->done = true;
}

/* List the PMUs of this processor's table by libpfm4's names. */
static void named_list_ours(struct named_query *a, struct pmu_cpuid id)
{
	for (size_t i = 0; i < n_pmu_processors; i++) {
		const struct pmu_processor *p = pmu_processors[i];
		if (p->vendor == PMU_ANY || !pmu_processor_is(p, id))
			continue;
		for (size_t u = 0; u < p->n_units && a->n_ours < LIBPFM_OURS_MAX; u++)
			if (*p->units[u].libpfm)
				str_copy(a->ours[a->n_ours++], LIBPFM_PMU_MAX,
					 str_of(p->units[u].libpfm));
	}
}

static bool is_alias(const struct named_event *e)
{
	struct named_alias alias;
	return named_take_alias(str_of(e->text), &alias);
}

static void named_list_queries(struct named_query *a, const struct named_types *all)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->type[i]->n; k++)
			if (!is_alias(&all->type[i]->event[k]))
				str_copy(a->entry[a->n++].event, LIBPFM_TEXT_MAX,
					 str_of(all->type[i]->event[k].text));
}

static bool named_is_ours(const struct named_query *a, const struct libpfm_answer *answer)
{
	size_t len = strcspn(answer->pmu, "0123456789");
	if (answer->present || answer->kind == LIBPFM_KERNEL)
		return true;
	for (size_t i = 0; i < a->n_ours; i++)
		if (strcmp(a->ours[i], answer->pmu) == 0 ||
		    (strstr(answer->pmu, "_unc_") && strncmp(a->ours[i], answer->pmu, len) == 0))
			return true;
	return false;
}

static void named_apply_answer(struct source *s, struct named_type *t, size_t i,
			       const struct libpfm_answer *answer)
{
	struct pmu_event *e = event_at(t, i);
	e->config = answer->config;
	e->config1 = answer->config1;
	e->config2 = answer->config2;
	e->exclude = answer->exclude;
	if (answer->kind == LIBPFM_KERNEL)
		e->abi_type = answer->type + 1;
	else
		kernel_pmu(s, answer, t->event[i].pmu, sizeof(t->event[i].pmu));
	if (answer->counters)
		t->fits = answer->counters < t->fits ? answer->counters : t->fits;
	t->event[i].known = true;
}

static int named_apply_answers(struct source *s, struct named_type *t, const struct named_query *a,
			       size_t *at,
			       char *wrong)
{
	int result = 0;
	t->fits = PMU_GROUP;
	for (size_t i = 0; i < t->n; i++) {
		if (is_alias(&t->event[i]))
			continue;
		const struct libpfm_answer *answer = &a->entry[(*at)++].answer;
		if (answer->result == LIBPFM_FOUND && named_is_ours(a, answer)) {
			named_apply_answer(s, t, i, answer);
		} else if (answer->result == LIBPFM_FOUND) {
			snprintf(t->why, sizeof(t->why), "%.60s is of %.29s, not of this processor",
				 t->event[i].text, answer->pmu);
		} else if (answer->result == LIBPFM_WRONG) {
			snprintf(wrong, WRONG_MAX, "%s: %s", t->event[i].text, answer->why);
			result = -EINVAL;
		} else {
			snprintf(t->why, sizeof(t->why), "%.110s", a->done ? answer->why :
				 "libpfm4 crashed or did not end in time");
		}
	}
	return result;
}

static void resolve_type(const struct files *root, struct named_type *t,
			 const struct named_query *a,
			 size_t *at, struct buf *errors, struct buf *warnings)
{
	struct source s;
	struct shared shared = {
		.files = { .rootfd = root->rootfd, .in_root = root->in_root },
	};
	char wrong[WRONG_MAX] = "";
	source_init(&s, root, t->metrics, t->type.n_metrics);
	s.data = &t->type;
	s.shared = &shared;
	s.rescan = true;
	t->why[0] = '\0';
	int r = named_apply_answers(&s, t, a, at, wrong);
	if (r == 0 && !t->why[0])
		r = named_check(&s, t, wrong);
	if (r == -EINVAL) {
		buf_addf(errors, "%s: %s = %s\n", t->where, t->name + strlen("pmc_"), wrong);
		str_copy(t->why, sizeof(t->why), str_of(wrong));
	} else if (r == -ENOENT || t->why[0]) {
		buf_addf(warnings, "%s: warning: %s: %s\n", t->where, t->name + strlen("pmc_"),
			 t->why[0] ? t->why : s.why);
	}
	t->resolved = true;
	source_free(&s);
	shared_free(&shared);
}

struct pmu_cpuid pmu_look_at_processor(const struct files *root)
{
	struct files own = { .rootfd = root->rootfd, .in_root = root->in_root };
	struct buf b CLEANUP(buf_free) = { 0 };
	struct pmu_cpuid id = { PMU_ANY, 0, 0 };
	struct str text;
	if (files_read(&own, "proc/cpuinfo", FILE_RECORDS, &b, &text) == 0)
		pmu_take_cpuid(text, &id);
	own.rootfd = -1;
	files_free(&own);
	return id;
}

int named_resolve(struct named_types *all, const struct files *root, struct buf *errors,
		  struct buf *warnings)
{
	size_t at = 0, before = errors->n;
	if (all->n == 0)
		return 0;
	struct named_query *a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a == MAP_FAILED)
		return -errno;
	named_list_ours(a, pmu_look_at_processor(root));
	named_list_queries(a, all);
	int r = a->n ? apart_run(named_query_libpfm, a, root) : 0;
	if (r == -ETIMEDOUT)
		r = 0;		/* libpfm4 timed out: each type reports this error */
	for (size_t i = 0; r == 0 && i < all->n; i++)
		resolve_type(root, all->type[i], a, &at, errors, warnings);
	munmap(a, sizeof(*a));
	return r < 0 ? r : errors->n > before ? -EINVAL : 0;
}

int named_look(struct source *s, struct named_type *t)
{
	char why[WRONG_MAX] = "";
	if (!t->resolved) {
		struct named_types one = { 1, { t } };
		struct buf errors CLEANUP(buf_free) = { 0 }, warnings CLEANUP(buf_free) = { 0 };
		int r = named_resolve(&one, &s->files, &errors, &warnings);
		if (r < 0 && r != -EINVAL)
			return r;
	}
	if (t->why[0])
		return source_absent(s, "%s", t->why);
	int r = named_find(s, t, why);
	return r == -EINVAL ? source_absent(s, "%.110s", why) : r;
}
