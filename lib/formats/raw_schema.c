/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_schema.c - the "!type key,opts ..." lines that a reader has met (seed: "Raw stats data") */
#include "formats/raw_schema.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/vec.h"

/* Where its definition in force is, or NULL. */
static struct schema_type **find(const struct raw_schema *s, uint64_t hash, struct str name)
{
	for (struct map_slot *at = NULL; (at = map_next(&s->by_name, hash, at));) {
		struct schema_type **t = &s->in_force[at->value.n];
		if (str_eq((struct str){ (*t)->type.name, (*t)->name_n }, name))
			return t;
	}
	return NULL;
}

struct schema_type *raw_schema_find(const struct raw_schema *s, struct str name)
{
	struct schema_type **t = find(s, map_hash(name), name);
	return t ? *t : NULL;
}

static void type_free(struct schema_type *t)
{
	free((void *)t->text.p);
	free((void *)t->fast_present);
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
	map_free(&s->by_name);
	*s = (struct raw_schema){ 0 };
}

/* Options that we do not know, and empty ones after a trailing comma, are ignored. */
static void take_option(struct record_key *k, char *option)
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
static struct record_key take_key(char *word)
{
	struct record_key k = { .name = word, .unit = "", .kind = GAUGE, .bits = 64 };
	for (char *comma = strchr(word, ','); comma; ) {
		char *option = comma + 1;
		*comma = '\0';
		comma = strchr(option, ',');
		if (comma)
			*comma = '\0';
		take_option(&k, option);
	}
	k.unit_name = metric_unit_split(k.unit, &k.scale);
	return k;
}

/* Cuts the line into words, NUL-terminated, in place: the first is the type, the rest its keys. */
static void cut_words(char *names, struct record_key *key)
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

	size_t bytes = (t->type.n_keys + 63) / 64 * sizeof(uint64_t);
	uint64_t *present = memset(xrealloc(NULL, bytes), 0, bytes);
	for (size_t i = 0; i < t->type.n_keys; i++)
		present[i / 64] |= (uint64_t)!t->type.key[i].slow << i % 64;
	t->fast_present = present;
}

static struct schema_type *new_type(struct str line, struct str name, size_t n_keys)
{
	struct schema_type *t = xrealloc(NULL, sizeof(*t));
	struct record_key *key = xrealloc(NULL, n_keys * sizeof(*key));
	*t = (struct schema_type){ .text = { xstrdup(line), line.n }, .names = xstrdup(line) };
	cut_words(t->names, key);
	t->type = (struct record_type){ t->names + (name.p - line.p), key, n_keys };
	t->name_n = name.n;
	note_slow_keys(t);
	return t;
}

static void put_in_force(struct raw_schema *s, struct schema_type *t)
{
	struct str name = { t->type.name, t->name_n };
	uint64_t hash = map_hash(name);
	struct schema_type **place = find(s, hash, name);
	if (place) {
		t->older = *place;
		t->older->in_force = false;
		*place = t;
	} else {
		s->in_force = vec_reserve(s->in_force, &s->cap, s->n + 1,
					  sizeof(struct schema_type *));
		map_add(&s->by_name, hash, (union map_value){ .n = s->n });
		s->in_force[s->n++] = t;
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
	size_t bytes = 2 * line.n + words * sizeof(struct record_key);
	const char *why = check_keys(line);
	if (why)
		return why;
	if (words < 2 || str_has(line, '\0'))
		return "a schema line needs a type and its keys";
	if (words - 1 > RECORD_KEYS_MAX)
		return "a type with too many keys";
	str_take_word(&rest, &name);
	if (revive(s, name, line))
		return NULL;
	if (s->n_defined == RAW_TYPES_MAX || bytes > RAW_SCHEMA_BYTES_MAX - s->bytes)
		return "too many schema lines in one file";
	s->n_defined++;
	s->bytes += bytes;
	put_in_force(s, new_type(line, name, words - 1));
	return NULL;
}
