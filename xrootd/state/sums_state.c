/* SPDX-License-Identifier: BSD-3-Clause */
/* sums_state.c - save and restore sums by server and minute */
#include "xrootd/sums/sums_parts.h"

#include <string.h>
#include "xrootd/state/state_parts.h"

/* Get the host's position in the list, from 1 on, or 0 if it is not in the list. */
static uint32_t sums_host_place(const struct xrd_sums *s, const struct sums_host *whole)
{
	uint32_t n = 1;
	for (const struct sums_host *h = s->first; h; h = h->next, n++)
		if (h == whole)
			return n;
	return 0;
}

static const struct sums_host *sums_host_at(const struct xrd_sums *s, uint32_t place)
{
	const struct sums_host *h = s->first;
	while (h && place > 1) {
		h = h->next;
		place--;
	}
	return place ? h : NULL;
}

static void sums_put_host(struct buf *b, const struct xrd_sums *s, const struct sums_host *h)
{
	state_put_text(b, str_of(h->name));
	buf_add(b, (struct str){ (const char *)&h->address, sizeof(h->address) });
	wire_put(b, (uint64_t)h->heard, 8);
	wire_put(b, sums_host_place(s, h->server), 4);
	wire_put(b, h->n_parts, 1);
	for (size_t i = 0; i < XRD_TYPES; i++)
		wire_put(b, h->sends[i], 1);
	wire_put(b, h->reported, 1);
	wire_put(b, (uint64_t)h->since, 8);
	for (size_t k = 0; k < XRD_KEYS; k++)
		wire_put(b, h->sum[k], 8);
	for (size_t m = 0; m < PENDING_MINUTES; m++)
		for (size_t k = 0; k < XRD_KEYS; k++)
			wire_put(b, h->minute[m][k], 8);
}

static void sums_take_host(struct wire *w, struct xrd_sums *s)
{
	char name[2 * XRD_TEXT];
	struct in6_addr address;
	str_copy(name, sizeof(name), state_take_text(w));
	struct str from = wire_bytes(w, sizeof(address));
	int64_t heard = state_take_time(w);
	uint32_t place = wire_u32(w);
	uint8_t n_parts = wire_u8(w);
	const struct sums_host *whole = sums_host_at(s, place);
	w->bad |= place && !whole;
	if (w->bad)
		return;
	memcpy(&address, from.p, sizeof(address));
	struct sums_host *h = sums_host_add(s, name, &address, whole);
	h->heard = heard;
	h->n_parts = n_parts;
	for (size_t i = 0; i < XRD_TYPES; i++)
		h->sends[i] = wire_u8(w);
	h->reported = wire_u8(w);
	h->since = state_take_time(w);
	for (size_t k = 0; k < XRD_KEYS; k++)
		h->sum[k] = wire_u64(w);
	for (size_t m = 0; m < PENDING_MINUTES; m++)
		for (size_t k = 0; k < XRD_KEYS; k++)
			h->minute[m][k] = wire_u64(w);
}

void sums_put_state(struct buf *b, const struct xrd_sums *s)
{
	wire_put(b, XRD_TYPES, 2);
	wire_put(b, XRD_KEYS, 2);
	wire_put(b, s->started, 1);
	wire_put(b, (uint64_t)s->oldest, 8);
	wire_put(b, (uint64_t)s->newest, 8);
	wire_put(b, (uint64_t)s->now, 8);
	wire_put(b, s->n, 4);
	for (const struct sums_host *h = s->first; h; h = h->next)
		sums_put_host(b, s, h);
}

void sums_take_state(struct wire *w, struct xrd_sums *s)
{
	w->bad |= wire_u16(w) != XRD_TYPES || wire_u16(w) != XRD_KEYS;
	s->started = wire_u8(w);
	s->oldest = state_take_time(w);
	s->newest = state_take_time(w);
	s->now = state_take_time(w);
	w->bad |= s->oldest > s->newest || s->newest - s->oldest >= PENDING_MINUTES ||
		  s->newest > INT64_MAX / 4 / XRD_MINUTE;
	uint32_t n = wire_u32(w);
	while (n-- > 0 && !w->bad)
		sums_take_host(w, s);
}
