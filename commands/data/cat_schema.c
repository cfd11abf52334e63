/* SPDX-License-Identifier: BSD-3-Clause */
/* cat_schema.c - print each different schema (a type's list of keys) that occurs in files once */
#include "data/cat_schema.h"

#include <stdlib.h>
#include "base/csv.h"
#include "base/json.h"
#include "base/vec.h"
#include "schema/foreign.h"
#include "schema/type.h"

/* Return nodometer's type for a type that another agent may name differently, or NULL. */
static const struct type *our_type(const struct record_type *t)
{
	char name[64];
	str_copy(name, sizeof(name), foreign_type(str_of(t->name)));
	return type_find(name);
}

static const char *help_of(const struct type *t, const char *key)
{
	for (size_t i = 0; t && i < t->n_metrics; i++)
		if (foreign_is_key(str_of(t->name), str_of(key), str_of(t->metrics[i].name)))
			return t->metrics[i].help;
	return NULL;
}

static void schemas_put_csv(struct buf *b, const struct record_type *t)
{
	const struct type *ours = our_type(t);

	for (size_t i = 0; i < t->n_keys; i++) {
		const char *help = help_of(ours, t->key[i].name);
		csv_str(b, str_of(t->name));
		csv_str(b, str_of(t->key[i].name));
		csv_str(b, str_of(metric_kind_name(t->key[i].kind)));
		csv_str(b, str_of(t->key[i].unit));
		csv_int(b, t->key[i].bits);
		csv_str(b, str_of(help ? help : ""));
		csv_end(b);
	}
}

static void schemas_put_json(struct buf *b, const struct record_type *t)
{
	const struct type *ours = our_type(t);

	json_open(b, NULL, '{');
	json_str(b, "type", str_of(t->name));
	if (ours)
		type_put_json(b, ours);
	json_open(b, "keys", '[');
	for (size_t i = 0; i < t->n_keys; i++) {
		const struct record_key *k = &t->key[i];
		json_open(b, NULL, '{');
		key_put_json(b, k->name, k->kind, k->unit, k->bits, help_of(ours, k->name));
		json_close(b, '}');
	}
	json_close(b, ']');
	json_close(b, '}');
	buf_add_char(b, '\n');
}

/* Return whether the text is not in s yet. If so, add the text to s; otherwise free the text. */
static bool schemas_is_new(struct schemas *s, struct buf *text)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(buf_str(&s->seen[i]), buf_str(text))) {
			buf_free(text);
			return false;
		}
	s->seen = vec_reserve(s->seen, &s->cap, s->n + 1, sizeof(*text));
	s->seen[s->n++] = *text;
	return true;
}

void schemas_put_head(const struct schemas *s, struct buf *out)
{
	if (s->csv)
		buf_addf(out, "type,key,kind,unit,bits,help\n");
}

void schemas_put(struct schemas *s, const struct record_source *source,
		 bool (*wants)(void *arg, struct str type), void *arg, struct buf *out)
{
	const struct record_type *t;

	for (size_t i = 0; (t = record_type_at(source, i)); i++) {
		struct buf text = { 0 };
		if (!wants(arg, str_of(t->name)))
			continue;
		(s->csv ? schemas_put_csv : schemas_put_json)(&text, t);
		if (schemas_is_new(s, &text))
			buf_add(out, buf_str(&s->seen[s->n - 1]));
	}
}

void schemas_free(struct schemas *s)
{
	for (size_t i = 0; i < s->n; i++)
		buf_free(&s->seen[i]);
	free(s->seen);
}
