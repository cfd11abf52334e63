/* SPDX-License-Identifier: BSD-3-Clause */
/* events.c - command events: list the hardware events of this processor */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/json.h"
#include "base/log.h"
#include "base/names.h"
#include "cli/command.h"
#include "collectors/pmu/libpfm.h"
#include "collectors/pmu/sysfs.h"

enum { ALL, JSON };

static const struct cli_option table[] = {
	[ALL]  = { "all",  NULL, "list the events of all processors that libpfm4 knows" },
	[JSON] = { "json", NULL, "one JSON object" },
};

struct events_listing {
	struct files root;
	struct pmu_cpuid id;
	const char *pattern;
	bool all, json;
	struct buf out;
	size_t n;
};

static bool matches(const struct events_listing *l, const char *text)
{
	return !*l->pattern || (text && strcasestr(text, l->pattern));
}

/*
 * Copy the name of an uncore PMU without its unit number, such as skx_unc_imc for skx_unc_imc0,
 * because all units of a kind have the same events. Names of other PMUs are copied unchanged.
 */
static void put_pmu_name(const char *pmu, char *to, size_t size)
{
	size_t n = strlen(pmu);
	bool box = strstr(pmu, "_unc_");
	while (box && n && isdigit((unsigned char)pmu[n - 1]))
		n--;
	str_copy(to, size, (struct str){ pmu, n });
}

static bool is_another_box(const char *pmu)
{
	char first[LIBPFM_PMU_MAX];
	put_pmu_name(pmu, first, sizeof(first));
	const char *number = pmu + strlen(first);
	return *number && strcmp(number, "0") != 0;
}

static bool same_pmu(const char *a, const char *b)
{
	char x[LIBPFM_PMU_MAX], y[LIBPFM_PMU_MAX];
	put_pmu_name(a, x, sizeof(x));
	put_pmu_name(b, y, sizeof(y));
	return strcmp(x, y) == 0;
}

static bool events_is_ours(const struct events_listing *l, const struct libpfm_pmu *pmu)
{
	if (l->all || pmu->kind == LIBPFM_KERNEL || (pmu->present && !l->root.in_root))
		return true;
	for (size_t i = 0; i < n_pmu_processors; i++) {
		const struct pmu_processor *p = pmu_processors[i];
		for (size_t u = 0; p->vendor != PMU_ANY && u < p->n_units; u++)
			if (pmu_processor_is(p, l->id) && same_pmu(p->units[u].libpfm, pmu->name))
				return true;
	}
	return false;
}

/* Append each type and key that counts the event "NAME[:UMASK]", such as "intel_8pmc3 CTR0". */
static void put_counted(const struct pmu_unit *u, const char *name, struct buf *to)
{
	const struct type *t = type_find(u->type);
	for (size_t i = 0; t && i < PMU_GROUP; i++) {
		bool fixed = i >= PMU_EVENTS;
		const struct pmu_event *e = fixed ? &u->fixed[i - PMU_EVENTS] : &u->event[i];
		if (!e->name || strcasecmp(e->name, name) != 0)
			continue;
		size_t key = fixed ? (size_t)t->counters->fixed + i - PMU_EVENTS
				   : (size_t)t->counters->ctr + i;
		buf_addf(to, "%s%s %s", to->n ? ", " : "", t->name, t->metrics[key].name);
	}
}

static void events_find_counted(const char *pmu, const char *event, const char *umask,
				struct buf *to)
{
	char name[2 * LIBPFM_TEXT_MAX];
	snprintf(name, sizeof(name), "%s%s%s", event, umask ? ":" : "", umask ? umask : "");
	for (size_t i = 0; i < n_pmu_processors; i++)
		for (size_t u = 0; u < pmu_processors[i]->n_units; u++)
			if (same_pmu(pmu_processors[i]->units[u].libpfm, pmu))
				put_counted(&pmu_processors[i]->units[u], name, to);
}

static void put_mask(struct events_listing *l, const char *pmu, const struct libpfm_event *e,
		     const struct libpfm_attribute *a)
{
	struct buf counted CLEANUP(buf_free) = { 0 };
	events_find_counted(pmu, e->name, a->name, &counted);
	if (l->json) {
		json_open(&l->out, NULL, '{');
		json_str(&l->out, "name", str_of(a->name));
		json_str(&l->out, "description", str_of(a->desc ? a->desc : ""));
		json_bool(&l->out, "default", a->usual);
		if (counted.n)
			json_str(&l->out, "counted", buf_str(&counted));
		json_close(&l->out, '}');
		return;
	}
	buf_addf(&l->out, "    :%s%s  %s", a->name, a->usual ? " (default)" : "",
		 a->desc ? a->desc : "");
	if (counted.n)
		buf_addf(&l->out, " [" STR_FMT "]", STR_ARG(buf_str(&counted)));
	buf_add_char(&l->out, '\n');
}

static void events_put_head(struct events_listing *l, const char *name, const char *desc,
			    struct str counted)
{
	l->n++;
	if (l->json) {
		json_open(&l->out, NULL, '{');
		json_str(&l->out, "name", str_of(name));
		json_str(&l->out, "description", str_of(desc));
		if (counted.n)
			json_str(&l->out, "counted", counted);
		return;
	}
	buf_addf(&l->out, "%s  %s", name, desc);
	if (counted.n)
		buf_addf(&l->out, " [" STR_FMT "]", STR_ARG(counted));
	buf_add_char(&l->out, '\n');
}

static void events_put_event(struct events_listing *l, const char *pmu,
			     const struct libpfm_event *e)
{
	struct buf counted CLEANUP(buf_free) = { 0 };
	struct libpfm_attribute a;
	char name[LIBPFM_PMU_MAX + LIBPFM_TEXT_MAX], box[LIBPFM_PMU_MAX];
	put_pmu_name(pmu, box, sizeof(box));
	snprintf(name, sizeof(name), "%s::%s", box, e->name);
	events_find_counted(pmu, e->name, NULL, &counted);
	events_put_head(l, name, e->desc ? e->desc : "", buf_str(&counted));
	if (l->json)
		json_open(&l->out, "umasks", '[');
	for (int i = 0; libpfm_attribute_at(e, i, &a); i++)
		if (a.umask)
			put_mask(l, pmu, e, &a);
	if (l->json) {
		json_close(&l->out, ']');
		json_close(&l->out, '}');
	}
}

static bool events_is_asked_for(const struct events_listing *l, const char *pmu,
				const struct libpfm_event *e)
{
	struct libpfm_attribute a;
	char name[LIBPFM_PMU_MAX + LIBPFM_TEXT_MAX];
	snprintf(name, sizeof(name), "%s::%s", pmu, e->name);
	if (matches(l, name) || matches(l, e->desc))
		return true;
	for (int i = 0; libpfm_attribute_at(e, i, &a); i++)
		if (a.umask && (matches(l, a.name) || matches(l, a.desc)))
			return true;
	return false;
}

static void list_libpfm(struct events_listing *l)
{
	struct libpfm_pmu pmu;
	struct libpfm_event e;
	int r;
	for (int i = 0; (r = libpfm_pmu_at(i, &pmu)) >= 0; i++) {
		if (r == 0 || is_another_box(pmu.name) || !events_is_ours(l, &pmu))
			continue;
		for (int at = pmu.first; libpfm_event_at(at, &e, &at); )
			if (events_is_asked_for(l, pmu.name, &e))
				events_put_event(l, pmu.name, &e);
	}
}

static void list_aliases(struct events_listing *l, const char *pmu)
{
	struct names events = { .n = 0 };
	char path[NAME_SIZE + 64], name[2 * NAME_SIZE + 4];
	snprintf(path, sizeof(path), PMU_SOURCES "/%s/events", pmu);
	if (names_list(&events, &l->root, path, "") < 0)
		return;
	for (size_t i = 0; i < events.n; i++) {
		char leaf[sizeof(path) + NAME_SIZE], text[256];
		if (strchr(events.name[i], '.'))
			/* a file with the unit or scale of an event, not an event */
			continue;
		snprintf(name, sizeof(name), "%s/%s/", pmu, events.name[i]);
		if (!matches(l, name))
			continue;
		snprintf(leaf, sizeof(leaf), "%s/%s", path, events.name[i]);
		struct str terms = files_line(&l->root, leaf, text, sizeof(text) - 1);
		text[terms.n] = '\0';
		events_put_head(l, name, terms.n ? terms.p : "", STR(""));
		if (l->json)
			json_close(&l->out, '}');
	}
	names_free(&events);
}

static void list_kernel(struct events_listing *l)
{
	struct names pmus = { .n = 0 };
	if (names_list(&pmus, &l->root, PMU_SOURCES, "") < 0)
		return;
	for (size_t i = 0; i < pmus.n; i++)
		list_aliases(l, pmus.name[i]);
	names_free(&pmus);
}

static int events_list(struct events_listing *l)
{
	const char *why = NULL;
	int r = libpfm_load(&why);
	if (l->json) {
		json_open(&l->out, NULL, '{');
		json_open(&l->out, "events", '[');
	}
	if (r == 0)
		list_libpfm(l);
	list_kernel(l);
	if (l->json) {
		json_close(&l->out, ']');
		json_close(&l->out, '}');
		buf_add_char(&l->out, '\n');
	}
	int printed = cli_publish(NULL, buf_str(&l->out));
	if (r < 0)
		log_warning("only the kernel's own events are listed: %s", why);
	if (l->n == 0)
		log_error("no event matches \"%s\"%s", l->pattern,
			  l->all ? "" : "; --all also searches events of other processors");
	return printed == CLI_OK && l->n ? EXIT_DONE : EXIT_FAILED;
}

static int run_events(const struct command *c, struct options *o, int argc, char **argv)
{
	struct events_listing l = { .pattern = "" };
	const char *arg;
	int id;

	while ((id = options_next(o, &c->cli, argc, argv, &arg)) != -1) {
		if (id < 0)
			return command_status(id);
		*(id == JSON ? &l.json : &l.all) = true;
	}
	if (argc - optind > 1)
		return cli_misused(&c->cli, "expected at most one pattern");
	if (optind < argc)
		l.pattern = argv[optind];
	int r = files_open_root(&l.root, o->given.root ? o->given.root : "/");
	if (r < 0) {
		log_error("%s: %s", o->given.root ? o->given.root : "/", strerror(-r));
		return EXIT_FAILED;
	}
	l.id = pmu_look_at_processor(&l.root);
	int status = events_list(&l);
	files_free(&l.root);
	buf_free(&l.out);
	return status;
}

const struct command events_command = {
	.run = run_events,
	.cli = {
		.command = "events", .operands = "[PATTERN]", .common = CLI_ALL,
		CLI_OPTIONS(table),
		.about = "list hardware events that can be counted by name",
	},
};
