/* SPDX-License-Identifier: BSD-3-Clause */
/* alias.c - encode events by the kernel's names, in a PMU's directories events and format */
#include "collectors/pmu/alias.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "base/nearest.h"
#include "collectors/pmu/sysfs.h"

#define MIB 1048576.0

static uint64_t *register_of(struct pmu_event *e, struct str name)
{
	if (str_eq(name, STR("config")))
		return &e->config;
	if (str_eq(name, STR("config1")))
		return &e->config1;
	return str_eq(name, STR("config2")) ? &e->config2 : NULL;
}

static bool take_bits(struct str *in, unsigned *first, unsigned *last)
{
	uint64_t a, b;
	if (!str_take_u64(in, &a))
		return false;
	b = a;
	if (str_take_prefix(in, STR("-")) && !str_take_u64(in, &b))
		return false;
	str_take_prefix(in, STR(","));
	*first = (unsigned)a;
	*last = (unsigned)b;
	return a <= b && b < 64;
}

bool alias_place(struct str format, uint64_t value, struct pmu_event *e)
{
	struct str name;
	unsigned first, last, used = 0;
	if (!str_take_until(&format, ':', &name))
		return false;
	uint64_t *to = register_of(e, name);
	while (to && format.n) {
		if (!take_bits(&format, &first, &last) || used > 63)
			return false;
		unsigned width = last - first + 1;
		uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
		*to |= (value >> used & mask) << first;
		used += width;
	}
	return to && used && (used >= 64 || value >> used == 0);
}

/* Parse a decimal or hexadecimal number. Nothing else may follow. */
static bool alias_parse_value(struct str text, uint64_t *ret)
{
	bool hex = str_take_prefix(&text, STR("0x")) || str_take_prefix(&text, STR("0X"));
	return (hex ? str_take_hex(&text, ret) : str_take_u64(&text, ret)) && text.n == 0;
}

static int read_leaf(struct source *s, const char *folder, const char *what, struct str name,
		     const char *suffix, struct str *ret)
{
	char path[320];
	int n = snprintf(path, sizeof(path), PMU_SOURCES "/%s/%s/" STR_FMT "%s", folder, what,
			 STR_ARG(name), suffix);
	if (n < 0 || (size_t)n >= sizeof(path) || memchr(name.p, '/', name.n) ||
	    str_peek(name) == '.')
		return -ENOENT;
	int r = source_read(s, path, ret);
	files_forget(&s->files, path);
	if (r == 0)
		*ret = str_trim(*ret);
	return r;
}

static void alias_try_names(struct source *s, const char *folder, const char *what,
			    const char *word,
			    struct nearest *near, struct names *names)
{
	char path[128];
	snprintf(path, sizeof(path), PMU_SOURCES "/%s/%s", folder, what);
	if (names_list(names, &s->files, path, "") < 0)
		return;
	for (size_t i = 0; i < names->n; i++)
		/* NAME.unit and NAME.scale are not events */
		if (!strchr(names->name[i], '.'))
			nearest_try(near, word, names->name[i]);
}

static int alias_suggest(struct source *s, const char *folder, struct str name, char *why)
{
	struct names events = { .n = 0 }, formats = { .n = 0 };
	struct nearest near = { NULL, 0 };
	char word[64];
	str_copy(word, sizeof(word), name);
	alias_try_names(s, folder, "events", word, &near, &events);
	alias_try_names(s, folder, "format", word, &near, &formats);
	if (near.best)
		snprintf(why, ALIAS_WHY_MAX, "PMU %s has no event %s; did you mean %s?", folder,
			 word, near.best);
	else
		snprintf(why, ALIAS_WHY_MAX, "PMU %s has no event %s; \"nodometer events\" lists "
			 "them", folder, word);
	names_free(&events);
	names_free(&formats);
	return -EINVAL;
}

static int alias_encode_term(struct source *s, const char *folder, struct str term,
			     struct pmu_event *e,
			     char *why)
{
	struct str name = term, value = STR(""), format;
	uint64_t v = 1;
	if (str_take_until(&term, '=', &name))
		value = term;
	if (value.n && !alias_parse_value(value, &v)) {
		snprintf(why, ALIAS_WHY_MAX, "PMU %s: " STR_FMT "=" STR_FMT " is not a number",
			 folder,
			 STR_ARG(name), STR_ARG(value));
		return -EINVAL;
	}
	uint64_t *whole = register_of(e, name);
	if (whole) {
		*whole |= v;
		return 0;
	}
	if (read_leaf(s, folder, "format", name, "", &format) < 0)
		return alias_suggest(s, folder, name, why);
	if (alias_place(format, v, e))
		return 0;
	snprintf(why, ALIAS_WHY_MAX, "PMU %s: " STR_FMT " cannot hold 0x%llx", folder,
		 STR_ARG(name), (unsigned long long)v);
	return -EINVAL;
}

/*
 * Read the unit of one count: "64B" if the kernel shows scale 6.103515625e-5 and unit MiB. No other
 * scale that is a fraction is supported.
 */
static void read_unit(struct source *s, const char *folder, struct str alias, char unit[16])
{
	struct str text;
	char name[16], scale[40] = "1";
	if (read_leaf(s, folder, "events", alias, ".unit", &text) < 0 ||
	    !str_copy(name, sizeof(name), text))
		return;
	if (read_leaf(s, folder, "events", alias, ".scale", &text) == 0 &&
	    !str_copy(scale, sizeof(scale), text))
		return;
	double bytes = strtod(scale, NULL) * (strcmp(name, "MiB") == 0 ? MIB :
					      strcmp(name, "Bytes") == 0 ? 1 : 0);
	if (bytes >= 1 && bytes <= 4096)
		snprintf(unit, 16, bytes > 1 ? "%.0fB" : "B", bytes);
	else if (strcmp(name, "Joules") == 0 && strtod(scale, NULL) == 1. / 4294967296)
		snprintf(unit, 16, "2^-32J");
}

static int alias_encode_terms(struct source *s, const char *folder, struct str terms,
			      struct pmu_event *e,
			      char *why)
{
	struct str term, rest = terms;
	/* copy the terms, because reading a format overwrites the buffer that they are in */
	char copy[NAMED_EVENT_MAX];
	if (!str_copy(copy, sizeof(copy), terms))
		return -EINVAL;
	rest = str_of(copy);
	int r = 0;
	while (r == 0 && str_take_item(&rest, &term))
		/* "=?" stands for a value that the user specifies */
		if (!str_ends(term, STR("=?")))
			r = alias_encode_term(s, folder, term, e, why);
	return r;
}

int alias_encode(struct source *s, const char *folder, struct str terms, struct pmu_event *e,
		 char unit[16], char why[ALIAS_WHY_MAX])
{
	struct str term, text;
	int r = 0;
	e->config = e->config1 = e->config2 = 0;
	while (r == 0 && str_take_item(&terms, &term)) {
		if (!str_has(term, '=') && read_leaf(s, folder, "events", term, "", &text) == 0) {
			r = alias_encode_terms(s, folder, text, e, why);
			read_unit(s, folder, term, unit);
		} else {
			r = alias_encode_term(s, folder, term, e, why);
		}
	}
	return r;
}
