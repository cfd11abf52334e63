/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.c - what records i, U and T say about a client, and which of it held at an open */
#include "xrootd/join/facts.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

#define FACTS_FREELY 8	/* sets that are kept even if no open file needs them: opens may be late */

_Static_assert(FACTS_FIRST + FACTS_MAX <= UINT8_MAX, "xrd_file.facts has 8 bits");

/* Compare dictionary ids, which may wrap. */
static bool facts_is_later(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

static struct facts *facts_of_file(const struct xrd_file *f)
{
	const struct xrd_facts *all = f->client ? f->client->facts : NULL;
	unsigned i = f->facts - (unsigned)FACTS_FIRST;
	return all && f->facts >= FACTS_FIRST && i < all->n ? &f->client->facts->of[i] : NULL;
}

void facts_hold(struct xrd_file *f)
{
	struct facts *of = facts_of_file(f);
	if (of)
		of->files++;
	else if (f->facts >= FACTS_FIRST)
		f->facts = FACTS_UNKNOWN;
}

void facts_release(struct xrd_file *f)
{
	struct facts *of = facts_of_file(f);
	if (of)
		of->files--;
	f->facts = FACTS_UNSET;
}

struct facts_found facts_find(const struct xrd_client *c, const struct xrd_file *f)
{
	const struct xrd_facts *all = c ? c->facts : NULL;
	unsigned of = f && f->client == c ? f->facts : FACTS_UNSET;
	if (!all)
		return (struct facts_found){ NULL, of != FACTS_UNKNOWN, NULL };
	if (!f || (of == FACTS_UNSET && all->n == 1))
		of = FACTS_FIRST + all->now;
	if (of == FACTS_NONE)
		return (struct facts_found){ NULL, false, NULL };
	if (of == FACTS_UNSET)
		return (struct facts_found){ NULL, false, "facts changed, the open is missing" };
	if (of == FACTS_UNKNOWN)
		return (struct facts_found){ NULL, false, "facts changed too often" };
	of -= FACTS_FIRST;
	return (struct facts_found){ &all->of[of], of == all->now, NULL };
}

/* Find the newest set that is older than the file: its open may arrive after newer sets. */
static unsigned facts_at_open(const struct xrd_facts *all, uint32_t file)
{
	unsigned found = all->n;
	if (all->n == 1 || facts_is_later(file, all->of[all->now].since))
		return all->now;
	for (unsigned i = 0; i < all->n; i++)
		if (facts_is_later(file, all->of[i].since) &&
		    (found == all->n ||
		     facts_is_later(all->of[i].since, all->of[found].since)))
			found = i;
	if (found < all->n)
		return found;
	return all->forgotten ? all->n : all->now;
}

void facts_stamp(struct xrd_file *f)
{
	const struct xrd_facts *all = f->client ? f->client->facts : NULL;
	facts_release(f);
	if (!f->client)
		return;
	f->facts = FACTS_NONE;
	if (!all)
		return;
	unsigned i = facts_at_open(all, (uint32_t)f->entry.id);
	f->facts = (uint8_t)(i < all->n ? FACTS_FIRST + i : FACTS_UNKNOWN);
	facts_hold(f);
}

static void facts_set_text(struct xrd_table *t, struct xrd_client *c, char **to, struct str text)
{
	if (*to)
		xrd_table_shrink(t, &c->entry, strlen(*to) + 1);
	free(*to);
	*to = xstrdup(text);
	xrd_table_grow(t, &c->entry, strlen(*to) + 1);
}

static void facts_clear(struct xrd_table *t, struct xrd_client *c, struct facts *of)
{
	for (unsigned k = 0; k < FACT_KINDS; k++) {
		if (of->text[k])
			xrd_table_shrink(t, &c->entry, strlen(of->text[k]) + 1);
		free(of->text[k]);
		of->text[k] = NULL;
	}
}

static size_t facts_size(size_t n)
{
	return sizeof(struct xrd_facts) + n * sizeof(struct facts);
}

static struct facts *facts_append(struct xrd_table *t, struct xrd_client *c)
{
	struct xrd_facts *all = c->facts;
	size_t n = all ? all->n : 0;
	if (all)
		xrd_table_shrink(t, &c->entry, facts_size(n));
	c->facts = xrealloc(all, facts_size(n + 1));
	xrd_table_grow(t, &c->entry, facts_size(n + 1));
	if (!all)
		*c->facts = (struct xrd_facts){ .n = 0 };
	c->facts->n = (uint8_t)(n + 1);
	c->facts->of[n] = (struct facts){ .since = 0 };
	return &c->facts->of[n];
}

static bool facts_are_same(const struct facts *a, const struct facts *b, enum fact_kind kind,
			   struct str text)
{
	for (unsigned k = 0; k < FACT_KINDS; k++) {
		const char *as = a->text[k], *bs = b->text[k];
		if (k == kind ? !as || !str_eq(str_of(as), text)
			      : !as != !bs || (as && strcmp(as, bs) != 0))
			return false;
	}
	return true;
}

/* Choose a set to reuse: one with the new texts, else the oldest that no file needs. */
static struct facts *facts_reusable(struct xrd_facts *all, enum fact_kind kind, struct str text)
{
	const struct facts *now = &all->of[all->now];
	struct facts *oldest = NULL;
	for (unsigned i = 0; i < all->n; i++) {
		struct facts *at = &all->of[i];
		if (i != all->now && facts_are_same(at, now, kind, text))
			return at;
		if (i != all->now && !at->files &&
		    (!oldest || facts_is_later(oldest->since, at->since)))
			oldest = at;
	}
	return oldest;
}

/* Forget the set that has held for longest, with the files that need it. */
static struct facts *facts_drop_oldest(struct xrd_client *c)
{
	struct xrd_facts *all = c->facts;
	unsigned oldest = !all->now;
	for (unsigned i = 0; i < all->n; i++)
		if (i != all->now && facts_is_later(all->of[oldest].since, all->of[i].since))
			oldest = i;
	for (struct xrd_file *f = c->files; f; f = f->next)
		if (f->facts == FACTS_FIRST + oldest)
			f->facts = FACTS_UNKNOWN;
	all->of[oldest].files = 0;
	return &all->of[oldest];
}

/* Make a set with the current texts, and make it the current set. */
static struct facts *facts_begin(struct xrd_table *t, struct xrd_client *c, enum fact_kind kind,
				 struct str text)
{
	struct facts *to = NULL;
	if (!c->facts)
		return facts_append(t, c);
	if (c->facts->n >= FACTS_FREELY) {
		to = facts_reusable(c->facts, kind, text);
		c->facts->forgotten = true;
	}
	if (!to)
		to = c->facts->n < FACTS_MAX ? facts_append(t, c) : facts_drop_oldest(c);
	facts_clear(t, c, to);
	const struct facts *now = &c->facts->of[c->facts->now];
	for (unsigned k = 0; k < FACT_KINDS; k++)
		if (k != kind && now->text[k])
			facts_set_text(t, c, &to->text[k], str_of(now->text[k]));
	c->facts->now = (uint8_t)(to - c->facts->of);
	return to;
}

/*
 * Move files to the current set whose opens arrived before the set's newest record. If it is the
 * first of its kind, these are the files with a number from `from` on; if it replaced another one,
 * only file `from` itself, for a record that the open of this file caused.
 */
static void facts_move_files(struct xrd_client *c, uint8_t before, uint32_t from, bool first)
{
	for (struct xrd_file *f = c->files; f; f = f->next) {
		uint32_t id = (uint32_t)f->entry.id;
		if (f->facts != before || (id != from && (!first || facts_is_later(from, id))))
			continue;
		facts_release(f);
		f->facts = (uint8_t)(FACTS_FIRST + c->facts->now);
		facts_hold(f);
	}
}

/*
 * A U record comes from an open with a flow in its URL (scitag.flow), after the file got its
 * number: it belongs to the file with the number before its own.
 */
bool facts_set(struct xrd_table *t, struct xrd_client *c, enum fact_kind kind, uint32_t id,
	       struct str text)
{
	struct facts *now = c->facts ? &c->facts->of[c->facts->now] : NULL;
	uint8_t before = (uint8_t)(now ? FACTS_FIRST + c->facts->now : FACTS_NONE);
	bool first = !now || !now->text[kind];
	if (!first && str_eq(str_of(now->text[kind]), text))
		return false;
	if (!now || !first || now->files)
		now = facts_begin(t, c, kind, text);
	facts_set_text(t, c, &now->text[kind], text);
	now->since = kind == FACT_FLOW ? id - 2 : id;
	if (first || kind == FACT_FLOW)
		facts_move_files(c, before, kind == FACT_FLOW ? id - 1 : id, first);
	return true;
}

void facts_restore(struct xrd_table *t, struct xrd_client *c, const struct str text[FACT_KINDS],
		   const bool is[FACT_KINDS], uint32_t since)
{
	struct facts *to = facts_append(t, c);
	for (unsigned k = 0; k < FACT_KINDS; k++)
		if (is[k])
			facts_set_text(t, c, &to->text[k], text[k]);
	to->since = since;
}

void facts_free(struct xrd_client *c)
{
	for (unsigned i = 0; c->facts && i < c->facts->n; i++)
		for (unsigned k = 0; k < FACT_KINDS; k++)
			free(c->facts->of[i].text[k]);
	free(c->facts);
}
