/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_schema.c - the "!type key,opts ..." lines that a reader has met (seed: "Raw stats data") */
#include "formats/raw_schema.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

static uint16_t *find_slot(const struct raw_schema *s, struct str name)
{
	size_t at = str_hash(name) % RAW_SCHEMA_SLOTS;
	for (;; at = (at + 1) % RAW_SCHEMA_SLOTS) {
		if (!s->slot[at])
			return &s->slot[at];
		const struct schema_type *t = s->in_force[s->slot[at] - 1];
		if (str_eq((struct str){ t->type.name, t->name_n }, name))
			return &s->slot[at];
	}
}

struct schema_type *raw_schema_find(const struct raw_schema *s, struct str name)
{
	if (!s->slot)
		return NULL;
	uint16_t slot = *find_slot(s, name);
	return slot ? s->in_force[slot - 1] : NULL;
}

static void type_free(struct schema_type *t)
{
	free((void *)t->text.p);
	free((void *)t->fast_absent);
	free((void *)t->type.key);
	free(t->names);
	free(t);
}

void raw_schema_free(struct raw_schema *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (struct schema_type *t = s->in_force[i], *older; t; t = older) {
			older = t->older;
			type_free(t);
		}
	free(s->in_force);
	free(s->slot);
	*s = (struct raw_schema){ 0 };
}

/* "512B" is 512 and "B"; a plain unit, and a number that makes no sense, is 1 and itself. */
static void split_unit(struct raw_key *k)
{
	struct str rest = str_of(k->unit);
	uint64_t scale;
	k->scale = 1;
	k->unit_name = k->unit;
	if (str_peek(rest) == ' ' || !str_take_u64(&rest, &scale) || !scale || scale > UINT32_MAX)
		return;
	k->scale = (unsigned)scale;
	k->unit_name = rest.p;
}

/* Options that we do not know, and empty ones behind a trailing comma, are ignored. */
static void take_option(struct raw_key *k, char *option)
{
	struct str o = str_of(option);
	uint64_t bits;
	if (str_eq(o, STR("E")))
		k->kind = COUNTER;
	else if (str_eq(o, STR("C")))
		k->kind = CONTROL;
	else if (str_eq(o, STR("R=S")))
		k->slow = true;
	else if (str_take_prefix(&o, STR("U=")))
		k->unit = o.p;
	else if (str_take_prefix(&o, STR("W=")) && str_take_u64(&o, &bits) && o.n == 0 &&
		 bits >= 1 && bits <= 64)
		k->bits = (unsigned)bits;
}

/* Cuts the word "name,opt,opt", NUL-terminated, in place. */
static struct raw_key take_key(char *word)
{
	struct raw_key k = { .name = word, .unit = "", .kind = GAUGE, .bits = 64 };
	for (char *comma = strchr(word, ','); comma; ) {
		char *option = comma + 1;
		*comma = '\0';
		comma = strchr(option, ',');
		if (comma)
			*comma = '\0';
		take_option(&k, option);
	}
	split_unit(&k);
	return k;
}

/* Cuts the line into words, NUL-terminated, in place: the first is the type, the rest its keys. */
static void cut_words(char *names, struct raw_key *key)
{
	size_t words = 0;
	for (char *at = names; *at; ) {
		size_t len = strcspn(at, " \t");
		bool last = !at[len];
		at[len] = '\0';
		if (len && words++)
			*key++ = take_key(at);
		if (last)
			break;
		at += len + 1;
	}
}

static size_t count_words(struct str line)
{
	size_t n = 0;
	for (struct str word; str_take_word(&line, &word); )
		n++;
	return n;
}

static void note_slow_keys(struct schema_type *t)
{
	for (size_t i = 0; i < t->type.n_keys; i++)
		t->n_slow += t->type.key[i].slow;
	if (!t->n_slow)
		return;

	bool *absent = xrealloc(NULL, t->type.n_keys * sizeof(*absent));
	for (size_t i = 0; i < t->type.n_keys; i++)
		absent[i] = t->type.key[i].slow;
	t->fast_absent = absent;
}

static struct schema_type *new_type(struct str line, struct str name, size_t n_keys)
{
	struct schema_type *t = xrealloc(NULL, sizeof(*t));
	struct raw_key *key = xrealloc(NULL, n_keys * sizeof(*key));
	*t = (struct schema_type){ .text = { xstrdup(line), line.n }, .names = xstrdup(line) };
	cut_words(t->names, key);
	t->type = (struct raw_type){ t->names + (name.p - line.p), key, n_keys };
	t->name_n = name.n;
	note_slow_keys(t);
	return t;
}

static void put_in_force(struct raw_schema *s, struct schema_type *t)
{
	uint16_t *slot = find_slot(s, (struct str){ t->type.name, t->name_n });
	if (*slot) {
		t->older = s->in_force[*slot - 1];
		t->older->in_force = false;
		s->in_force[*slot - 1] = t;
	} else {
		s->in_force[s->n++] = t;
		*slot = (uint16_t)s->n;
	}
	t->in_force = true;
}

/* A definition that was in force not long ago takes the first place again. */
static bool revive(struct raw_schema *s, struct str name, struct str line)
{
	struct schema_type *first = raw_schema_find(s, name);
	if (!first || str_eq(first->text, line))
		return first != NULL;

	struct schema_type **link = &first->older;
	for (unsigned i = 0; *link && i < RAW_SCHEMA_REVIVED; i++, link = &(*link)->older)
		if (str_eq((*link)->text, line)) {
			struct schema_type *same = *link;
			*link = same->older;
			put_in_force(s, same);
			return true;
		}
	return false;
}

static const char *check_keys(struct str line)
{
	struct str word;
	str_take_word(&line, &word);
	while (str_take_word(&line, &word))
		if (*word.p == ',')
			return "a key of this schema has no name";
	return NULL;
}

const char *raw_schema_add(struct raw_schema *s, struct str line)
{
	struct str rest = line, name;
	size_t words = count_words(line);
	size_t bytes = 2 * line.n + words * sizeof(struct raw_key);
	const char *why = check_keys(line);
	if (why)
		return why;
	if (words < 2 || str_has(line, '\0'))
		return "a schema line needs a type and its keys";
	if (words - 1 > RAW_KEYS_MAX)
		return "a type with too many keys";
	str_take_word(&rest, &name);
	if (revive(s, name, line))
		return NULL;
	if (s->n_defined == RAW_TYPES_MAX || bytes > RAW_SCHEMA_BYTES_MAX - s->bytes)
		return "too many schema lines in one file";

	if (!s->slot) {
		s->slot = xrealloc(NULL, RAW_SCHEMA_SLOTS * sizeof(*s->slot));
		memset(s->slot, 0, RAW_SCHEMA_SLOTS * sizeof(*s->slot));
		s->in_force = xrealloc(NULL, RAW_TYPES_MAX * sizeof(struct schema_type *));
	}
	s->n_defined++;
	s->bytes += bytes;
	put_in_force(s, new_type(line, name, words - 1));
	return NULL;
}
