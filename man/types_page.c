/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * types_page.c - make nodometer-types(1) from a template and the tables of the types
 *
 * Copies the template from standard input to standard output, and replaces each line such as
 * "@TYPES@" by text from the tables. Runs while nodometer is built.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "collectors/pmu/pmu.h"

#define KEY_WIDTH_MAX 20	/* a key with a longer name gets a line of its own */

/*
 * Characters that roff changes in names, and how to write them. In other text, only the first one
 * is escaped.
 */
static const struct { char c; const char *roff; } escapes[] = {
	{ '\\', "\\e"   },
	{ '-',  "\\-"   },
	{ '"',  "\\(dq" },
	{ '\'', "\\(aq" },
	{ '`',  "\\(ga" },
	{ '^',  "\\(ha" },
	{ '~',  "\\(ti" },
};

static void types_page_put(const char *text, size_t n_escapes)
{
	if (*text == '.' || *text == '\'')
		/* a line that starts with this character would be a request of roff */
		fputs("\\&", stdout);
	for (; *text; text++) {
		size_t i = 0;
		while (i < n_escapes && escapes[i].c != *text)
			i++;
		if (i < n_escapes)
			fputs(escapes[i].roff, stdout);
		else
			putchar(*text);
	}
}

static void types_page_put_text(const char *text)
{
	types_page_put(text, 1);
}

/* Write the name of a file, key or event, in which roff must not change or hyphenate a word. */
static void put_name(const char *name)
{
	for (;;) {
		size_t n = strcspn(name, " ");
		char word[512];
		str_copy(word, sizeof(word), (struct str){ name, n });
		fputs("\\%", stdout);
		types_page_put(word, ARRAY_SIZE(escapes));
		if (!name[n])
			return;
		putchar(' ');
		name += n + 1;
	}
}

static void begin_list(size_t width)
{
	printf(".Bl -tag -compact -width %dn\n", (int)width + 2);
}

static void put_contents(void)
{
	size_t width = 0;
	for (size_t i = 0; i < n_types; i++)
		if (strlen(types[i]->name) > width)
			width = strlen(types[i]->name);
	begin_list(width);
	for (size_t i = 0; i < n_types; i++) {
		printf(".It Sy ");
		put_name(types[i]->name);
		putchar('\n');
		types_page_put_text(types[i]->about);
		puts(types[i]->off ? " (off by default)" : "");
	}
	puts(".El");
}

/* Write a key, such as "sent (counter, words of 4 bytes; counters/port_xmit_data)". */
static void put_key(const struct type *t, size_t key)
{
	const struct metric *m = &t->metrics[key];
	struct buf where CLEANUP(buf_free) = { 0 };

	printf(".It Cm ");
	put_name(m->name);
	putchar('\n');
	types_page_put_text(m->help);
	printf("\n(%s", metric_kind_name(m->kind));
	if (m->bits)
		printf(" of %d bits", m->bits);
	if (metric_unit_name(m->unit))
		printf(", %s", metric_unit_name(m->unit));
	type_put_where(t, key, &where);
	if (where.n) {
		buf_add_char(&where, '\0');
		printf("; ");
		put_name(where.p);
	}
	puts(")");
}

static void put_keys(const struct type *t)
{
	size_t width = 0;
	if (t->n_metrics == 0) {
		puts("It has no keys, only a reason in\n.Nm nodometer Cm types .");
		return;
	}
	for (size_t i = 0; i < t->n_metrics; i++) {
		size_t n = strlen(t->metrics[i].name);
		if (n > width && n <= KEY_WIDTH_MAX)
			width = n;
	}
	begin_list(width);
	for (size_t i = 0; i < t->n_metrics; i++)
		put_key(t, i);
	puts(".El");
}

/* Write the processors that have hardware counters of this type. */
static void put_processors(const struct type *t)
{
	bool any = false;
	for (size_t i = 0; i < n_pmu_processors; i++) {
		if (!pmu_processor_has(pmu_processors[i], t->name))
			continue;
		puts(any ? "," : ".It Events:\n.Sx HARDWARE COUNTERS ,");
		fputs(pmu_processors[i]->name, stdout);
		any = true;
	}
	putchar('\n');
}

static void put_type(const struct type *t)
{
	printf(".Ss ");
	put_name(t->name);
	putchar('\n');
	types_page_put_text(t->about);
	putchar('\n');
	begin_list(strlen("Default:"));
	puts(".It Device:");
	types_page_put_text(t->device);
	puts("\n.It Source:");
	put_name(t->source);
	printf("\n.It Default:\n%s%s\n", t->off ? "off" : "on",
	       t->isolate ? "; read by a separate process, since the source can hang" : "");
	if (t->counters)
		put_processors(t);
	puts(".El\n.Pp");
	put_keys(t);
}

static void put_types(void)
{
	for (size_t i = 0; i < n_types; i++)
		put_type(types[i]);
}

/* Write the family and models of a processor as in /proc/cpuinfo: "family 6, model 42, 45". */
static void put_cpuid(const struct pmu_processor *p)
{
	bool arm = p->vendor == PMU_ARM;
	if (p->vendor == PMU_ANY || p->vendor == PMU_OTHERS || p->vendor == PMU_IBM)
		return;
	printf(arm ? "CPU implementer 0x%02x, CPU part" : "cpu family %u, model", p->family);
	for (size_t i = 0; i < ARRAY_SIZE(p->models) && (i == 0 || p->models[i].last); i++) {
		unsigned first = p->models[i].first, last = p->models[i].last;
		printf(arm ? "%s 0x%x" : "%s %u", i ? "," : "", first);
		if (first != last)
			printf(arm ? " to 0x%x" : " to %u", last);
	}
	putchar('\n');
}

/* Write the name of an event. Names are long, so a line may be broken after a colon. */
static void put_event_name(const struct pmu_event *e)
{
	const char *name = e->name;
	if (e->alias || !*name) {
		printf("event ");
		if (e->alias)
			put_name(e->alias);
		else
			printf("0x%llx", (unsigned long long)e->config);
		return;
	}
	fputs("\\%", stdout);
	for (; *name; name++) {
		putchar(*name);
		if (*name == ':')
			fputs("\\:\\%", stdout);
	}
}

static void put_event(const struct type *t, int key, const struct pmu_event *e)
{
	if (!e->name)
		return;
	printf(".It Cm ");
	put_name(t->metrics[key].name);
	putchar('\n');
	if (e->ctl)
		printf("0x%06llx ", (unsigned long long)e->ctl);
	put_event_name(e);
	if (e->pmu)
		printf(" of PMU %s", e->pmu);
	putchar('\n');
}

static void put_unit(const struct pmu_unit *u)
{
	static const char *const threads[] = {
		[PMU_ALWAYS] = "",
		[PMU_NO_HT]  = ", without hyper-threading",
		[PMU_HT]     = ", with hyper-threading",
	};
	const struct type *t = type_find(u->type);
	assert(t && t->counters);

	puts(".It Xo");
	printf(".Sy %s ,\n%s%s%s", u->type, u->pmu ? "PMU " : "", u->pmu ? u->pmu :
	       "as many of these as a core counts at a time", threads[u->threads]);
	if (u->part)
		printf(", devices ending in %s", u->part);
	if (u->turns)
		printf(", CPUs %u, %u, %u and so on", u->turn, u->turn + u->turns,
		       u->turn + 2 * u->turns);
	puts("\n.Xc");
	begin_list(strlen("FIXED_CTR0"));
	for (int i = 0; i < PMU_EVENTS; i++)
		put_event(t, t->counters->ctr + i, &u->event[i]);
	for (int i = 0; i < PMU_FIXED; i++)
		put_event(t, t->counters->fixed + i, &u->fixed[i]);
	puts(".El");
}

static void put_events(void)
{
	for (size_t i = 0; i < n_pmu_processors; i++) {
		const struct pmu_processor *p = pmu_processors[i];
		printf(".Ss %s\n", p->name);
		put_cpuid(p);
		puts(".Bl -tag -width Ds");
		for (size_t u = 0; u < p->n_units; u++)
			put_unit(&p->units[u]);
		puts(".El");
	}
}

static const struct {
	const char *line;
	void (*put)(void);
} places[] = {
	{ "@CONTENTS@\n", put_contents },
	{ "@TYPES@\n",    put_types    },
	{ "@EVENTS@\n",   put_events   },
};

static void types_page_put_line(const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (strcmp(places[i].line, line) == 0) {
			places[i].put();
			return;
		}
	fputs(line, stdout);
}

int main(void)
{
	char line[1024];
	while (fgets(line, sizeof(line), stdin))
		types_page_put_line(line);
	return ferror(stdin) || fflush(stdout) != 0;
}
