/* SPDX-License-Identifier: BSD-3-Clause */
/* boot.c - find out whether a node was booted between two of its records */
#include "schema/boot.h"

#define SECOND 1000000

int64_t boot_clock(const struct record *r)
{
	const struct record_type *type;
	const struct record_row *own = record_own_row(r, &type);
	int key = own ? record_key_find(type, "boottime") : -1;
	uint64_t usec = key < 0 ? 0 : own->value[key];

	return usec <= RECORD_USEC_MAX ? (int64_t)usec : 0;
}

/* Return the uptime in seconds, from the record or else from the newest header; 0 if unknown. */
static int64_t boot_uptime_of(const struct record_source *source, const struct record *r)
{
	struct str text = record_property(source, "uptime");
	int64_t usec = boot_clock(r);
	uint64_t up;

	if (usec)
		return usec / SECOND;
	return str_take_u64(&text, &up) && up <= RECORD_USEC_MAX / SECOND ? (int64_t)up : 0;
}

/*
 * Return true if the node was booted between the last record and this record, which follows a
 * header. With boot ids: the node was booted if its id changed, and its uptime is at most the time
 * since the last record or, if the clock was set back, less than before. A new id alone proves
 * nothing, because a container has a different id than its node. Without boot ids: the node was
 * booted if the uptime decreased, or is more than 1 s below the time since the last record.
 */
static bool boot_was_between(struct boot *b, const struct record *r,
			     const struct record_source *source)
{
	struct str id = record_property(source, "boot_id");
	int64_t up = boot_uptime_of(source, r), since = (r->usec - b->usec) / SECOND;
	bool back = up < b->uptime, booted = false;

	if (b->usec == 0 || !up)
		booted = false;
	else if (!id.n || !b->id.n)
		booted = back || (since > 1 && up < since - 1);
	else if (!str_eq(id, buf_str(&b->id)))
		booted = since < 0 ? back : up <= since;
	b->uptime = up;
	b->id.n = 0;
	buf_add(&b->id, id);
	return booted;
}

bool boot_take(struct boot *b, const struct record *r, const struct record_source *source)
{
	bool booted = r->restart && boot_was_between(b, r, source);
	b->usec = r->usec;
	return booted;
}

void boot_end(struct boot *b)
{
	buf_free(&b->id);
}
