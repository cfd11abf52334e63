/* SPDX-License-Identifier: BSD-3-Clause */
/* named_resolve.c - what the kernel wants for the events that the configuration names */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/system/apart.h"
#include "collectors/pmu/libpfm_nearest.h"
#include "collectors/pmu/named_parts.h"
#include "collectors/pmu/sysfs.h"

/* Memory that is shared with the process that loads libpfm4. */
struct asked {
	bool done;
	size_t n_ours, n;
	char ours[LIBPFM_OURS_MAX][LIBPFM_PMU_MAX];
	struct {
		char event[LIBPFM_TEXT_MAX];
		struct libpfm_answer answer;
	} one[NAMED_TYPES_MAX * PMU_GROUP];
};

static void ask(void *arg)
{
	struct asked *a = arg;
	const char *why, *ours[LIBPFM_OURS_MAX];
	int r = libpfm_load(&why);
	for (size_t i = 0; i < a->n_ours; i++)
		ours[i] = a->ours[i];
	for (size_t i = 0; i < a->n; i++) {
		struct libpfm_answer *answer = &a->one[i].answer;
		if (r == 0) {
			libpfm_encode(a->one[i].event, ours, a->n_ours, answer);
			continue;
		}
		*answer = (struct libpfm_answer){ .result = LIBPFM_ABSENT };
		snprintf(answer->why, sizeof(answer->why), "names of events need libpfm4: %.120s",
			 why);
	}
	a->done = true;
}

/* libpfm4's names of the PMUs that the tables have for this processor. */
static void put_ours(struct asked *a, struct pmu_cpuid id)
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

static void put_questions(struct asked *a, const struct named_types *all)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->type[i]->n; k++)
			if (!is_alias(&all->type[i]->event[k]))
				str_copy(a->one[a->n++].event, LIBPFM_TEXT_MAX,
					 str_of(all->type[i]->event[k].text));
}

static bool is_ours(const struct asked *a, const struct libpfm_answer *answer)
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

static void take_answer(struct source *s, struct named_type *t, size_t i,
			const struct libpfm_answer *answer)
{
	struct pmu_event *e = named_event_at(t, i);
	e->config = answer->config;
	e->config1 = answer->config1;
	e->config2 = answer->config2;
	e->exclude = answer->exclude;
	if (answer->kind == LIBPFM_KERNEL)
		e->abi_type = answer->type + 1;
	else
		named_kernel_pmu(s, answer, t->event[i].pmu, sizeof(t->event[i].pmu));
	if (answer->counters)
		t->fits = answer->counters < t->fits ? answer->counters : t->fits;
	t->event[i].known = true;
}

static int take_answers(struct source *s, struct named_type *t, const struct asked *a, size_t *at,
			char *wrong)
{
	int result = 0;
	t->fits = PMU_GROUP;
	for (size_t i = 0; i < t->n; i++) {
		if (is_alias(&t->event[i]))
			continue;
		const struct libpfm_answer *answer = &a->one[(*at)++].answer;
		if (answer->result == LIBPFM_FOUND && is_ours(a, answer)) {
			take_answer(s, t, i, answer);
		} else if (answer->result == LIBPFM_FOUND) {
			snprintf(t->why, sizeof(t->why), "%.60s is of %.29s, not of this processor",
				 t->event[i].text, answer->pmu);
		} else if (answer->result == LIBPFM_WRONG) {
			snprintf(wrong, NAMED_WRONG_MAX, "%s: %s", t->event[i].text, answer->why);
			result = -EINVAL;
		} else {
			snprintf(t->why, sizeof(t->why), "%.110s", a->done ? answer->why :
				 "libpfm4 crashed or did not end in time");
		}
	}
	return result;
}

static void resolve_type(const struct files *root, struct named_type *t, const struct asked *a,
			 size_t *at, struct buf *errors, struct buf *warnings)
{
	struct source s;
	struct shared shared = {
		.files = { .rootfd = root->rootfd, .in_root = root->in_root },
	};
	char wrong[NAMED_WRONG_MAX] = "";
	source_init(&s, root, t->metrics, t->type.n_metrics);
	s.data = &t->type;
	s.shared = &shared;
	s.rescan = true;
	t->why[0] = '\0';
	int r = take_answers(&s, t, a, at, wrong);
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
	struct asked *a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a == MAP_FAILED)
		return -errno;
	put_ours(a, pmu_look_at_processor(root));
	put_questions(a, all);
	int r = a->n ? apart_run(ask, a, root) : 0;
	if (r == -ETIMEDOUT)
		r = 0;		/* the types say so */
	for (size_t i = 0; r == 0 && i < all->n; i++)
		resolve_type(root, all->type[i], a, &at, errors, warnings);
	munmap(a, sizeof(*a));
	return r < 0 ? r : errors->n > before ? -EINVAL : 0;
}
