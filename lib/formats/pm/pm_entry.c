/* SPDX-License-Identifier: BSD-3-Clause */
/* pm_entry.c - read and write the values of an entry */
#include "formats/pm/pm.h"

#include <arpa/inet.h>
#include <stdio.h>

const struct pm_column *pm_column(const struct pm_header *h, const char *name)
{
	for (size_t i = 0; i < h->n_columns; i++)
		if (h->column[i].length && strcmp(h->column[i].name, name) == 0)
			return &h->column[i];
	return strcmp(name, "m_clused") == 0 ? pm_column(h, "m_closed") : NULL;
}

bool pm_is_relevant(const struct pm_header *h, const struct pm_column *c)
{
	return c->mask == 0 || c->mask & h->mods;
}

/*
 * Return the index in memory of the i-th lowest byte of an n-byte integer. In PDP order, the
 * highest 16-bit word comes first, and each word is little-endian.
 */
static size_t pm_byte_index(enum pm_endian endian, size_t i, size_t n)
{
	switch (endian) {
	case PM_BIG_ENDIAN:
		return n - 1 - i;
	case PM_PDP_ENDIAN:
		return n < 2 ? 0 : n - 2 - (i & ~(size_t)1) + (i & 1);
	default:
		return i;
	}
}

static uint64_t pm_take_uint(enum pm_endian endian, const unsigned char *p, size_t n)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[pm_byte_index(endian, i, n)] << 8 * i;
	return v;
}

static void pm_set_uint(enum pm_endian endian, unsigned char *p, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		p[pm_byte_index(endian, i, n)] = (unsigned char)(v >> 8 * i);
}

static enum pm_endian pm_endian_of(const struct pm_header *h, const struct pm_column *c)
{
	return c->flags == PM_INT_NET ? PM_BIG_ENDIAN : h->endian;
}

static bool pm_is_uint(const struct pm_column *c)
{
	return c->flags <= PM_INT_NET &&
	       (c->length == 1 || c->length == 2 || c->length == 4 || c->length == 8);
}

bool pm_take(const struct pm_header *h, const struct pm_column *c, const unsigned char *entry,
	     uint64_t *ret)
{
	if (!pm_is_uint(c))
		return false;
	*ret = pm_take_uint(pm_endian_of(h, c), entry + c->offset, c->length);
	return true;
}

bool pm_is_valid(const struct pm_header *h, const struct pm_column *valid,
		 const struct pm_column *c, const unsigned char *entry)
{
	size_t place = (size_t)(c - h->column);
	uint64_t bits;

	return !valid || place >= 8u * valid->length || !pm_take(h, valid, entry, &bits) ||
	       bits >> place & 1;
}

void pm_set(const struct pm_header *h, const struct pm_column *c, unsigned char *entry,
	    uint64_t value)
{
	if (pm_is_uint(c))
		pm_set_uint(pm_endian_of(h, c), entry + c->offset, c->length, value);
}

/*
 * Return the size in bytes of the seconds in a column that holds a time, or 0 for other columns. In
 * a time of 12 bytes, the seconds have 8 bytes.
 */
static size_t seconds_size(const struct pm_column *c)
{
	return c->length == 8 ? 4 : c->length == 12 || c->length == 16 ? 8 : 0;
}

bool pm_take_time(const struct pm_header *h, const struct pm_column *c, const unsigned char *entry,
		  uint64_t *sec, uint64_t *usec)
{
	size_t n = seconds_size(c);
	if (n == 0)
		return false;
	*sec = pm_take_uint(pm_endian_of(h, c), entry + c->offset, n);
	*usec = pm_take_uint(pm_endian_of(h, c), entry + c->offset + n, c->length - n);
	return true;
}

void pm_set_time(const struct pm_header *h, const struct pm_column *c, unsigned char *entry,
		 uint64_t sec, uint64_t usec)
{
	size_t n = seconds_size(c);
	if (n == 0)
		return;
	pm_set_uint(pm_endian_of(h, c), entry + c->offset, n, sec);
	pm_set_uint(pm_endian_of(h, c), entry + c->offset + n, c->length - n, usec);
}

const char *pm_address(const unsigned char raw[16], char text[PM_ADDRESS])
{
	static const unsigned char mapped[12] = { [10] = 0xff, 0xff };
	char plain[INET6_ADDRSTRLEN];
	bool four = memcmp(raw, mapped, sizeof(mapped)) == 0;
	inet_ntop(four ? AF_INET : AF_INET6, four ? raw + 12 : raw, plain, sizeof(plain));
	snprintf(text, PM_ADDRESS, four ? "%s" : "[%s]", plain);
	return text;
}
