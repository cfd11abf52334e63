/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.c - info about a client (records i, U and T), in the version that applied at each open */
#include "xrootd/join/facts.h"

#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

/* number of versions that are kept even if no file uses them, because opens may arrive late */
#define FACTS_FREELY 16

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
	if (of == FACTS_EARLY)
		return (struct facts_found){ NULL, false,
					     "opened before the facts that are known" };
	of -= FACTS_FIRST;
	return (struct facts_found){ &all->of[of], of == all->now, NULL };
}

/*
 * Find the version of a client's info that applied when a file was opened: the newest version with
 * a smaller number. If two versions have the same number, choose the later version. Returns a value
 * of xrd_file.facts.
 */
static uint8_t facts_at_open(const struct xrd_facts *all, uint32_t file)
{
	unsigned found = all->n;
	for (unsigned k = 0; k < all->n; k++) {
		unsigned i = (all->now + all->n - k) % all->n;
		if (facts_is_later(file, all->of[i].since) &&
		    (found == all->n ||
		     facts_is_later(all->of[i].since, all->of[found].since)))
			found = i;
	}
	if (all->forgotten && (found == all->n ||
			       !facts_is_later(all->of[found].since, all->forgotten_since)))
		return FACTS_UNKNOWN;
	return (uint8_t)(found < all->n ? FACTS_FIRST + found : FACTS_EARLY);
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
	f->facts = facts_at_open(all, (uint32_t)f->entry.id);
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
	if (!a->text[kind] || !str_eq(str_of(a->text[kind]), text))
		return false;
	for (unsigned k = 0; k < FACT_KINDS; k++) {
		const char *as = a->text[k], *bs = b->text[k];
		if (k != kind && (!as != !bs || (as && strcmp(as, bs) != 0)))
			return false;
	}
	return true;
}

/*
 * Choose a version to overwrite: the oldest version with the new texts, else the oldest that no
 * file uses. A late open of a file that used the overwritten version then has unknown info.
 */
static struct facts *facts_reusable(struct xrd_facts *all, enum fact_kind kind, struct str text)
{
	const struct facts *now = &all->of[all->now];
	struct facts *same = NULL, *unneeded = NULL;
	for (unsigned i = 0; i < all->n; i++) {
		struct facts *at = &all->of[i];
		if (i == all->now)
			continue;
		if (facts_are_same(at, now, kind, text)) {
			if (!same || facts_is_later(same->since, at->since))
				same = at;
		} else if (!at->files &&
			   (!unneeded || facts_is_later(unneeded->since, at->since))) {
			unneeded = at;
		}
	}
	return same ? same : unneeded;
}

/* Remember that the version with this number was dropped. */
static void facts_forget(struct xrd_facts *all, uint32_t since)
{
	if (!all->forgotten || facts_is_later(since, all->forgotten_since))
		all->forgotten_since = since;
	all->forgotten = true;
}

/* Choose the oldest version to be overwritten, and mark its files with FACTS_UNKNOWN. */
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

/* Append a copy of version `from`. If `reused` is not NULL, overwrite this version instead. */
static struct facts *facts_copy(struct xrd_table *t, struct xrd_client *c, unsigned from,
				struct facts *reused)
{
	struct facts *to = reused;
	if (to)
		facts_forget(c->facts, to->since);
	else
		to = facts_append(t, c);
	facts_clear(t, c, to);
	const struct facts *of = &c->facts->of[from];
	for (unsigned k = 0; k < FACT_KINDS; k++)
		if (of->text[k])
			facts_set_text(t, c, &to->text[k], str_of(of->text[k]));
	return to;
}

/*
 * Copy the current version, so that the caller can change `kind` to `text`, and make the copy the
 * current version.
 */
static struct facts *facts_begin(struct xrd_table *t, struct xrd_client *c, enum fact_kind kind,
				 struct str text)
{
	struct facts *reused = NULL;
	if (!c->facts)
		return facts_append(t, c);
	if (c->facts->n >= FACTS_FREELY)
		reused = facts_reusable(c->facts, kind, text);
	if (!reused && c->facts->n == FACTS_MAX)
		reused = facts_drop_oldest(c);
	struct facts *to = facts_copy(t, c, c->facts->now, reused);
	c->facts->now = (uint8_t)(to - c->facts->of);
	return to;
}

/*
 * Add an older version for a record that arrived late. The current version stays. If there are many
 * versions, only remember that this version is not known.
 */
static bool facts_set_late(struct xrd_table *t, struct xrd_client *c, enum fact_kind kind,
			   uint32_t since, struct str text)
{
	struct xrd_facts *all = c->facts;
	uint8_t at = facts_at_open(all, since + 1);
	unsigned from = at >= FACTS_FIRST ? at - (unsigned)FACTS_FIRST : all->now;
	const char *before = all->of[from].text[kind];
	if (before && str_eq(str_of(before), text))
		return false;
	if (all->n >= FACTS_FREELY) {
		facts_forget(all, since);
		return false;
	}
	struct facts *to = facts_copy(t, c, from, NULL);
	facts_set_text(t, c, &to->text[kind], text);
	to->since = since;
	return true;
}

/* Let a file use the current version instead of version `before`. */
static void facts_move_file(struct xrd_file *f, uint8_t before)
{
	if (f->facts != before)
		return;
	facts_release(f);
	f->facts = (uint8_t)(FACTS_FIRST + f->client->facts->now);
	facts_hold(f);
}

/*
 * Let files with a number of at least `from` use the current version instead of version `before`:
 * the record of the current version arrived after their opens.
 */
static void facts_move_files(struct xrd_client *c, uint8_t before, uint32_t from)
{
	for (struct xrd_file *f = c->files; f; f = f->next)
		if (!facts_is_later(from, (uint32_t)f->entry.id))
			facts_move_file(f, before);
}

/*
 * Let file `id` use the current version instead of version `before`: the open of this file caused
 * the new U record. Other files keep their version.
 */
static void facts_move_named(const struct xrd_table *t, struct xrd_client *c, uint8_t before,
			     uint32_t id)
{
	struct xrd_entry *e = xrd_table_find(t, c->entry.server, FILE_ENTRY, id);
	struct xrd_file *f = (struct xrd_file *)e;
	if (f && f->client == c)
		facts_move_file(f, before);
}

/*
 * Get the largest number of a file to which a record does not apply. For a U record N, this is N -
 * 2: an open with a flow in its URL (scitag.flow) gives number N - 1 to the file and then N to the
 * record.
 */
static uint32_t facts_since(enum fact_kind kind, uint32_t id)
{
	return kind == FACT_FLOW ? id - 2 : id;
}

bool facts_set(struct xrd_table *t, struct xrd_client *c, enum fact_kind kind, uint32_t id,
	       struct str text)
{
	struct facts *now = c->facts ? &c->facts->of[c->facts->now] : NULL;
	uint8_t before = (uint8_t)(now ? FACTS_FIRST + c->facts->now : FACTS_NONE);
	uint32_t since = facts_since(kind, id);
	bool first = !now || !now->text[kind];
	if (!first && facts_is_later(now->since, id))
		return facts_set_late(t, c, kind, since, text);
	if (!first && str_eq(str_of(now->text[kind]), text))
		return false;
	if (now && facts_is_later(now->since, since))
		since = now->since;
	now = facts_begin(t, c, kind, text);
	facts_set_text(t, c, &now->text[kind], text);
	now->since = since;
	if (first)
		facts_move_files(c, before, facts_since(kind, id) + 1);
	else if (kind == FACT_FLOW)
		facts_move_named(t, c, before, id - 1);
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
