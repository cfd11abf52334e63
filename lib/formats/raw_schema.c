/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_schema.c - parse the schema lines of a raw file, "!type key,opts ..." */
#include "formats/raw_schema.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/vec.h"
#include "schema/foreign.h"

/* Return the element of .in_force with the current definition of a type, or NULL. */
static struct schema_type **raw_schema_find_place(const struct raw_schema *s, uint64_t hash,
						  struct str name)
{
	for (struct map_slot *at = NULL; (at = map_next(&s->by_name, hash, at));) {
		struct schema_type **t = &s->in_force[at->value.n];
		if (str_eq((struct str){ (*t)->name, (*t)->name_n }, name))
			return t;
	}
	return NULL;
}

struct schema_type *raw_schema_find(const struct raw_schema *s, struct str name)
{
	struct schema_type **t = raw_schema_find_place(s, map_hash(name), name);
	return t ? *t : NULL;
}

static void type_free(struct schema_type *t)
{
	free((void *)t->text.p);
	free((void *)t->fast_present);
	free(t->kind_present);
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

/* Parse an option of a key. Unknown and empty options are ignored. */
static void raw_schema_take_option(struct record_key *k, char *option)
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

/* Parse "name,opt,opt" in place; commas become NULs. */
static struct record_key raw_schema_take_key(char *word)
{
	struct record_key k = { .name = word, .unit = "", .kind = GAUGE, .bits = 64 };
	for (char *comma = strchr(word, ','); comma; ) {
		char *option = comma + 1;
		*comma = '\0';
		comma = strchr(option, ',');
		if (comma)
			*comma = '\0';
		raw_schema_take_option(&k, option);
	}
	k.unit_name = metric_unit_split(k.unit, &k.scale);
	return k;
}

/* Split a schema line into the type and its keys. Each word gets a NUL at its end. */
static void cut_words(char *names, struct record_key *key)
{
	size_t words = 0;
	for (char *at = names; *at; ) {
		size_t len = strcspn(at, " \t");
		bool last = !at[len];
		at[len] = '\0';
		if (len && words++)
			*key++ = raw_schema_take_key(at);
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

static bool raw_schema_has_key(const struct record_type *t, const char *name)
{
	return record_key_find(t, name) >= 0;
}

/*
 * Translate another agent's names of types and keys to nodometer's. A key keeps its name if the new
 * name does not fit or another key has it.
 */
static void raw_schema_translate(struct schema_type *t, struct record_key *key)
{
	struct buf ours CLEANUP(buf_free) = { 0 };
	t->type.name = foreign_type(str_of(t->type.name)).p;
	for (size_t i = 0; i < t->type.n_keys; i++) {
		struct str name = str_of(key[i].name);
		ours.n = 0;
		foreign_translate_key(str_of(t->type.name), name, &ours);
		buf_add_char(&ours, '\0');
		if (ours.n <= name.n + 1 && !raw_schema_has_key(&t->type, ours.p))
			memcpy(t->names + (name.p - t->names), ours.p, ours.n);
	}
}

static struct schema_type *raw_schema_new_type(struct str line, struct str name, size_t n_keys,
					       bool foreign)
{
	struct schema_type *t = xrealloc(NULL, sizeof(*t));
	struct record_key *key = xrealloc(NULL, n_keys * sizeof(*key));
	*t = (struct schema_type){ .text = { xstrdup(line), line.n }, .names = xstrdup(line) };
	cut_words(t->names, key);
	t->name = t->text.p + (name.p - line.p);
	t->name_n = name.n;
	t->type = (struct record_type){ t->names + (name.p - line.p), key, n_keys };
	if (foreign)
		raw_schema_translate(t, key);
	note_slow_keys(t);
	return t;
}

static void put_in_force(struct raw_schema *s, struct schema_type *t)
{
	struct str name = { t->name, t->name_n };
	uint64_t hash = map_hash(name);
	struct schema_type **place = raw_schema_find_place(s, hash, name);
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

/*
 * If an older definition of the type has the same schema line, use that definition again. Only the
 * latest RAW_SCHEMA_REVIVED definitions are searched.
 */
static bool raw_schema_revive(struct raw_schema *s, struct str name, struct str line)
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

static bool is_same_key(const struct record_key *a, const struct record_key *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0 &&
	       a->kind == b->kind && a->bits == b->bits && a->slow == b->slow;
}

/*
 * For the name of a reduced schema, such as "ib.2" to "ib.9", return the current definition of
 * "ib"; for any other name, NULL. See struct schema_kinds.
 */
static const struct schema_type *find_whole_type(const struct raw_schema *s, struct str name)
{
	if (name.n < 3 || name.p[name.n - 2] != '.' || name.p[name.n - 1] < '2' ||
	    name.p[name.n - 1] > '9')
		return NULL;
	return raw_schema_find(s, (struct str){ name.p, name.n - 2 });
}

/*
 * Set t->kind_of if t is a reduced schema of `whole`: t has only some of the keys of `whole`, in
 * the same order.
 */
static void note_kind(struct schema_type *t, const struct schema_type *whole)
{
	t->beside = whole;
	if (!whole)
		return;
	size_t n = whole->type.n_keys, bytes = (n + 63) / 64 * sizeof(uint64_t), key = 0;
	t->kind_present = memset(xrealloc(NULL, bytes), 0, bytes);
	for (size_t i = 0; i < n && key < t->type.n_keys; i++) {
		if (!is_same_key(&whole->type.key[i], &t->type.key[key]))
			continue;
		t->kind_present[i / 64] |= (uint64_t)1 << i % 64;
		key++;
	}
	if (key == t->type.n_keys)
		t->kind_of = whole;
}

static const char *raw_schema_check_keys(struct str line)
{
	struct str word;
	str_take_word(&line, &word);
	while (str_take_word(&line, &word))
		if (*word.p == ',')
			return "a key of this schema has no name";
	return NULL;
}

const char *raw_schema_add(struct raw_schema *s, struct str line, bool foreign)
{
	struct str rest = line, name;
	size_t words = count_words(line);
	size_t bytes = 2 * line.n + words * sizeof(struct record_key);
	const char *why = raw_schema_check_keys(line);
	if (why)
		return why;
	if (words < 2 || str_has(line, '\0'))
		return "a schema line needs a type and its keys";
	if (words - 1 > RECORD_KEYS_MAX)
		return "a type with too many keys";
	str_take_word(&rest, &name);
	const struct schema_type *whole = find_whole_type(s, name);
	if (raw_schema_revive(s, name, line) && raw_schema_find(s, name)->beside == whole)
		return NULL; /* the old definition stays allocated, because rows may point to it */
	if (s->n_defined == RAW_TYPES_MAX || bytes > RAW_SCHEMA_BYTES_MAX - s->bytes)
		return "too many schema lines in one file";
	s->n_defined++;
	s->bytes += bytes;
	struct schema_type *t = raw_schema_new_type(line, name, words - 1, foreign);
	note_kind(t, whole);
	put_in_force(s, t);
	return NULL;
}
