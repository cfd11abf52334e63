/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_copy.c - write records of any format as a raw file */
#include "formats/raw_copy.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "formats/raw_write.h"

/* header properties that are copied unchanged; $hostname is written separately */
static const char *const properties[] = {
	"uname", "uptime", "agent", "topology", "boot_id", "fault_ns",
};

/*
 * Append the "$below" lines. An entry of `below` without a lower device begins a line; the
 * following entries add lower devices to this line.
 */
static void put_below(struct buf *b, const struct below *below)
{
	for (size_t i = 0; below && i < below->n; i++) {
		const struct below_pair *p = &below->pair[i];
		const char *device = below->words.p + p->device, *lower = below->words.p + p->lower;
		if (*lower)
			buf_addf(b, " %s", lower);
		else
			buf_addf(b, "%s$below %s%s%s", i ? "\n" : "", below->words.p + p->type,
				 *device ? " " : "", device);
	}
	if (below && below->n)
		buf_add_char(b, '\n');
}

static struct raw_copy_type *raw_copy_find_type(struct raw_copy *c, const struct record_type *t)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->type[i].type == t)
			return &c->type[i];
	c->type = vec_reserve(c->type, &c->cap, c->n + 1, sizeof(*c->type));
	struct raw_copy_type *new = &c->type[c->n++];
	*new = (struct raw_copy_type){ t, xrealloc(NULL, t->n_keys * sizeof(*new->has)), false };
	for (size_t k = 0; k < t->n_keys; k++)
		new->has[k] = true;	/* no rows yet: write all keys of the type */
	return new;
}

/*
 * Note the keys to write in the schema: all slow keys (see struct record_key), and the keys that
 * some row has.
 */
static void raw_copy_note_keys(struct raw_copy *c, const struct record_rows *rows)
{
	struct raw_copy_type *t = raw_copy_find_type(c, rows->type);

	for (size_t k = 0; k < rows->type->n_keys; k++) {
		bool has = (t->any && t->has[k]) || rows->type->key[k].slow;
		for (size_t i = 0; i < rows->n && !has; i++)
			has = row_has(&rows->row[i], k);
		t->has[k] = has;
	}
	t->any = true;
}

static void raw_copy_put_schema(struct buf *b, const struct raw_copy_type *t)
{
	buf_addf(b, "!%s", t->type->name);
	for (size_t i = 0; i < t->type->n_keys; i++) {
		const struct record_key *k = &t->type->key[i];
		if (!t->has[i])
			continue;
		raw_put_key(b, str_of(k->name), k->kind, str_of(k->unit), k->bits);
		if (k->slow)
			buf_add(b, STR(",R=S"));
	}
	buf_add_char(b, '\n');
}

static void raw_copy_put_header(struct raw_copy *c, const struct record_source *from,
				const struct record *r)
{
	struct buf *b = &c->next;
	const struct record_type *t;

	raw_put_property(b, "hpcperfstats", STR(RAW_VERSION));
	raw_put_property(b, "hostname", record_host(from, r));
	for (size_t i = 0; i < ARRAY_SIZE(properties); i++) {
		struct str value = record_property(from, properties[i]);
		if (value.n)
			raw_put_property(b, properties[i], value);
	}
	put_below(b, r->below);
	for (size_t i = 0; (t = record_type_at(from, i)); i++)
		raw_copy_put_schema(b, raw_copy_find_type(c, t));
}

/*
 * Return true if the row has exactly the keys of the schema line; with `fast`, exactly these keys
 * without the slow ones.
 */
static bool raw_copy_has_all_keys(const struct raw_copy_type *t, const struct record_row *row,
				  bool fast)
{
	bool whole = true;
	for (size_t k = 0; k < t->type->n_keys; k++)
		if (t->has[k])
			whole &= row_has(row, k) != (fast && t->type->key[k].slow);
	return whole;
}

/* Return true if the row has exactly the keys of the reduced schema `kind`. */
static bool is_of_kind(const struct record_type *kind, const struct record_type *t,
		       const struct record_row *row)
{
	size_t n = 0;
	for (size_t k = 0; k < t->n_keys; k++) {
		if (!row_has(row, k))
			continue;
		if (n == kind->n_keys || strcmp(kind->key[n].name, t->key[k].name) != 0)
			return false;
		n++;
	}
	return n == kind->n_keys;
}

/*
 * Return the name of the reduced schema with exactly the keys of this row, such as "ib.2", or NULL.
 * See struct schema_kinds.
 */
static const char *find_kind(const struct raw_copy *c, const struct record_type *t,
			     const struct record_row *row)
{
	size_t n = strlen(t->name);
	for (size_t i = 0; i < c->n; i++) {
		const struct record_type *kind = c->type[i].type;
		if (strncmp(kind->name, t->name, n) == 0 && kind->name[n] == '.' &&
		    is_of_kind(kind, t, row))
			return kind->name;
	}
	return NULL;
}

static void raw_copy_put_row(struct raw_copy *c, struct buf *b, const struct raw_copy_type *t,
			     const struct record_row *row)
{
	bool whole = raw_copy_has_all_keys(t, row, false);
	bool fast = !whole && raw_copy_has_all_keys(t, row, true);
	const char *name = whole || fast ? t->type->name : find_kind(c, t->type, row);

	if (!name) {
		c->left_out++;
		return;
	}
	buf_addf(b, "%s " STR_FMT "%s", name, STR_ARG(row->device), fast ? " @fast" : "");
	for (size_t k = 0; k < t->type->n_keys; k++) {
		if (!t->has[k] || !row_has(row, k))
			continue;
		buf_add_char(b, ' ');
		row_put_value(b, row, k);
	}
	buf_add_char(b, '\n');
}

static void raw_copy_put_type_rows(struct raw_copy *c, struct buf *b,
				   const struct record_rows *rows)
{
	const struct raw_copy_type *t = raw_copy_find_type(c, rows->type);
	for (size_t i = 0; i < rows->n; i++)
		raw_copy_put_row(c, b, t, &rows->row[i]);
}

bool raw_copy_head_due(struct raw_copy *c, const struct record_source *from,
		       const struct record *r)
{
	for (size_t i = 0; i < r->n_types; i++)
		raw_copy_note_keys(c, &r->rows[i]);
	c->next.n = 0;
	raw_copy_put_header(c, from, r);
	bool due = r->restart || !str_eq(buf_str(&c->next), buf_str(&c->head));
	if (due) {
		c->head.n = 0;
		buf_add(&c->head, buf_str(&c->next));
	}
	return due;
}

void raw_copy_put_marks(const struct record *r, struct buf *out)
{
	struct buf jobs CLEANUP(buf_free) = { 0 };

	record_put_jobs(&jobs, r);
	raw_put_group(out, r->usec, buf_str(&jobs), STR(""));
	for (size_t i = 0; i < r->n_marks; i++)
		buf_addf(out, "%%" STR_FMT "\n", STR_ARG(r->mark[i].text));
}

void raw_copy_put_rows(struct raw_copy *c, const struct record *r, struct buf *out)
{
	for (size_t i = 0; i < r->n_types; i++)
		raw_copy_put_type_rows(c, out, &r->rows[i]);
}

void raw_copy_put(struct raw_copy *c, const struct record_source *from, const struct record *r,
		  struct buf *out)
{
	if (raw_copy_head_due(c, from, r))
		buf_add(out, buf_str(&c->head));
	raw_copy_put_marks(r, out);
	raw_copy_put_rows(c, r, out);
}

void raw_copy_source(struct raw_copy *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->type[i].has);
	c->n = 0;
}

void raw_copy_free(struct raw_copy *c)
{
	raw_copy_source(c);
	free(c->type);
	buf_free(&c->head);
	buf_free(&c->next);
}
