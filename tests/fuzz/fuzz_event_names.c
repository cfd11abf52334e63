/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_event_names.c - parse configured event names, and event aliases of the kernel */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "collectors/pmu/alias.h"
#include "collectors/pmu/named.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void try_line(const char *events)
{
	struct named_types t CLEANUP(named_free) = { 0 };
	struct buf why CLEANUP(buf_free) = { 0 };
	bool good = named_add(&t, "fuzz", events, "file", 1, &why);
	must(good == (why.n == 0) && t.n == good);
	for (size_t i = 0; good && i < t.type[0]->n; i++) {
		const struct named_event *e = &t.type[0]->event[i];
		must(e->text[0] && e->key[0] && !strpbrk(e->key, " ,;=!\t"));
	}
}

static void try_alias(struct str text)
{
	struct named_alias a;
	if (named_take_alias(text, &a))
		must(a.pmu.n + a.terms.n + a.modifiers.n + 2 == text.n);
}

/* Encode an event with a root that lacks the kernel's files. */
static void try_terms(struct str text)
{
	struct files root = { .rootfd = -1 };
	struct pmu_event e = { .config = 0 };
	struct source s;
	char unit[16] = "", why[ALIAS_WHY_MAX] = "";
	source_init(&s, &root, NULL, 0);
	int r = alias_encode(&s, "pmu", text, &e, unit, why);
	must(r == 0 || (r == -EINVAL && why[0]));
	source_free(&s);
	(void)alias_place(text, 1, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[4096];
	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	try_line(text);
	try_alias((struct str){ text, size });
	try_terms((struct str){ text, strlen(text) });
	return 0;
}
