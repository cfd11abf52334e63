/* SPDX-License-Identifier: BSD-3-Clause */
/* pm_read.c - read the header of a .pm file */
#include "formats/pm/pm_columns.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/wire.h"

struct pm_reader {
	struct pm_header h;
	struct pm_fault *fault;
	size_t at;		/* offset of the record that is being read */
	bool sized;
};

PRINTF(2, 3)
static int pm_set_fault(struct pm_reader *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->fault->why, sizeof(r->fault->why), fmt, ap);
	va_end(ap);
	r->fault->at = r->at;
	return -EBADMSG;
}

/*
 * The data of a header record as two u16. The report defines such data both as a 32-bit number and
 * as a u16 with two bytes of padding. Both forms are accepted, because only the cluster size can
 * exceed 65535.
 */
struct pm_halves {
	uint16_t first, second;
};

static struct pm_halves pm_take_halves(struct str data)
{
	struct wire w = wire_of(data);
	uint16_t first = wire_u16(&w);
	return (struct pm_halves){ first, data.n >= 4 ? wire_u16(&w) : 0 };
}

static uint16_t pm_nonzero_half(struct pm_halves v)
{
	return v.first ? v.first : v.second;
}

/*
 * Return the cluster size. 65536 is stored as 00 01 00 00. These bytes could also be 1 and padding,
 * but clusters have at least 128 bytes.
 */
static uint32_t pm_cluster_size(struct pm_halves v, size_t n)
{
	uint32_t whole = (uint32_t)v.first << 16 | v.second;
	return n < 4 ? v.first : whole < 1u << 23 ? whole : v.first;
}

/* Read the byte order of entries: one u16 is 0, 1 or 2, the other is padding. */
static int pm_take_endian(struct pm_reader *r, struct pm_halves v)
{
	unsigned is = pm_nonzero_half(v);
	if (is > PM_PDP_ENDIAN)
		is = v.first <= PM_PDP_ENDIAN ? v.first : v.second;
	if (is > PM_PDP_ENDIAN)
		return pm_set_fault(r, "byte order %u (0 little, 1 big, 2 PDP)", is);
	r->h.endian = (enum pm_endian)is;
	return 0;
}

static void pm_take_text(char *to, struct str raw)
{
	size_t n = strnlen(raw.p, raw.n);
	for (size_t i = 0; i < n; i++)
		to[i] = raw.p[i] > ' ' && raw.p[i] < 0x7f ? raw.p[i] : '_';
	to[n] = '\0';
}

static bool pm_is_defined(const struct pm_header *h, const char *name)
{
	for (size_t i = 0; i < h->n_columns; i++)
		if (strcmp(h->column[i].name, name) == 0)
			return true;
	return false;
}

static int pm_take_column(struct pm_reader *r, struct str data)
{
	struct wire w = wire_of(data);
	struct pm_header *h = &r->h;
	struct pm_column c = { .name = "" };

	pm_take_text(c.name, wire_bytes(&w, PM_NAME));
	c.offset = wire_u16(&w);
	c.length = wire_u8(&w);
	c.scope = wire_u8(&w);
	c.mask = wire_u16(&w);
	c.flags = wire_u16(&w);
	if (w.bad)
		return pm_set_fault(r, "a column's definition of %zu bytes (32)", data.n);
	if (c.name[0] == '\0')
		return 0;
	if (pm_is_defined(h, c.name)) {
		if (h->n_twice++ == 0)
			memcpy(h->twice, c.name, sizeof(h->twice));
		return 0;
	}
	const struct pm_known *known = pm_known_column(c.name);
	c.unknown = known ? known->column.unknown : 0;
	if (h->n_columns == PM_COLUMNS_MAX)
		return pm_set_fault(r, "more than %d columns", PM_COLUMNS_MAX);
	h->column = vec_reserve(h->column, &h->cap, h->n_columns + 1, sizeof(c));
	h->column[h->n_columns++] = c;
	return 0;
}

static int pm_take_losses(struct pm_reader *r, struct str data)
{
	struct wire w = wire_of(data);

	r->h.missed_moments = wire_u64(&w);
	r->h.lost_snapshots = wire_u64(&w);
	r->h.states_losses = !w.bad;
	return w.bad ? pm_set_fault(r, "losses of %zu bytes (16)", data.n) : 0;
}

static int pm_take_start(struct pm_reader *r, struct str data)
{
	struct wire w = wire_of(data);
	uint64_t usec = wire_u64(&w);

	if (w.bad || usec > INT64_MAX / 2)
		return pm_set_fault(r, "the start of the recording is not a valid time");
	r->h.start = (int64_t)usec;
	r->h.states_start = true;
	return 0;
}

static int pm_take_header_record(struct pm_reader *r, unsigned kind, struct str data)
{
	static const uint8_t least[] = { [PM_KIND_MODS] = 2, [PM_KIND_TABLE_ENTRY_SIZE] = 2,
					 [PM_KIND_ENDIAN] = 2, [PM_KIND_MCLSIZE] = 2 };

	if (kind < ARRAY_SIZE(least) && data.n < least[kind])
		return pm_set_fault(r, "record of kind %u with %zu bytes of data", kind, data.n);
	switch (kind) {
	case PM_KIND_VERSION:
		pm_take_text(r->h.version, (struct str){ data.p, data.n < PM_VERSION ? data.n :
							 PM_VERSION });
		return 0;
	case PM_KIND_DATA_DEFINITION:
		return pm_take_column(r, data);
	case PM_KIND_MODS:
		r->h.mods = pm_nonzero_half(pm_take_halves(data));
		return 0;
	case PM_KIND_TABLE_ENTRY_SIZE:
		r->h.entry_size = pm_nonzero_half(pm_take_halves(data));
		r->sized = true;
		return 0;
	case PM_KIND_ENDIAN:
		return pm_take_endian(r, pm_take_halves(data));
	case PM_KIND_LOSSES:
		return pm_take_losses(r, data);
	case PM_KIND_START:
		return pm_take_start(r, data);
	case PM_KIND_MCLSIZE:
		r->h.cluster = pm_cluster_size(pm_take_halves(data), data.n);
		return 0;
	default:
		return 0;
	}
}

/* Check that the header describes valid entries. */
static int pm_check_header(struct pm_reader *r)
{
	const struct pm_header *h = &r->h;
	if (!r->sized || h->entry_size == 0)
		return pm_set_fault(r, "the header has no size of entries");
	if (h->n_columns == 0)
		return pm_set_fault(r, "the header defines no column");
	for (size_t i = 0; i < h->n_columns; i++) {
		const struct pm_column *c = &h->column[i];
		if (c->length && c->offset + c->length > h->entry_size)
			return pm_set_fault(r, "column %s ends at byte %d of entries of %d",
					    c->name,
					    c->offset + c->length, h->entry_size);
	}
	return 0;
}

/* Read a header record. Returns 1 at the end of the header, 0 if more records follow, or -errno. */
static int pm_next_header_record(struct pm_reader *r, struct wire *w)
{
	unsigned kind = wire_u16(w), length = wire_u16(w);

	if (w->bad)
		return pm_set_fault(r, "the header is cut off"), -EAGAIN;
	if (length < 4)
		return pm_set_fault(r, "record of kind %u with length %u", kind, length);
	struct str data = wire_bytes(w, length - 4);
	if (w->bad)
		return pm_set_fault(r, "record of kind %u is cut off", kind), -EAGAIN;
	int e = kind == PM_KIND_END ? 0 : pm_take_header_record(r, kind, data);
	if (e < 0)
		return e;
	if (kind == PM_KIND_END)
		e = pm_check_header(r);
	return e < 0 ? e : kind == PM_KIND_END;
}

int pm_read_header(struct str file, struct pm_header *ret, struct pm_fault *fault)
{
	struct pm_reader r = { .h = { .mods = PM_RENO }, .fault = fault };
	struct wire w = wire_of(file);
	int e;

	do {
		r.at = file.n - w.n;
		e = r.at > PM_HEADER_MAX ? pm_set_fault(&r, "no end of the header in %u bytes",
							PM_HEADER_MAX) : pm_next_header_record(&r,
											       &w);
	} while (e == 0);
	if (e < 0) {
		pm_header_free(&r.h);
		return e;
	}
	*ret = r.h;
	ret->bytes = file.n - w.n;
	return 0;
}

void pm_header_free(struct pm_header *h)
{
	free(h->column);
	h->column = NULL;
	h->n_columns = h->cap = 0;
}
