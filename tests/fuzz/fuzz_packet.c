/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_packet.c - for any capture, no byte outside of a packet is read */
#include <stdlib.h>
#include "base/wire.h"
#include "xrootd/input/fragments.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_udp(const struct ip_packet *p)
{
	struct udp_datagram d;
	uint64_t sum = 0;
	if (packet_udp(p, &d) < 0)
		return;
	if (d.data.n > d.size || d.size + 8 > p->size)
		abort();
	for (size_t i = 0; i < d.data.n; i++)
		sum += (unsigned char)d.data.p[i];
	if (sum > 255 * (uint64_t)d.size)
		abort();
}

static void check_packet(struct fragments *f, int link, struct str s, int64_t now)
{
	struct ip_packet p;
	if (packet_ip(link, s, &p) < 0)
		return;
	if (p.data.n > p.size || p.data.n > s.n)
		abort();
	if (packet_is_fragment(&p) && !fragments_add(f, &p, now))
		return;
	if (packet_is_fragment(&p) || p.data.n > p.size)
		abort();
	check_udp(&p);
}

/*
 * The input is a byte for the link type, then packets: two bytes for the length, one for the time,
 * then the packet.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int links[] = { 0, 1, 12, 101, 108, 113, 228, 229, 276, 147 };
	struct wire w = wire_of((struct str){ (const char *)data, size });
	struct fragments *f = calloc(1, sizeof(*f));
	int link = links[wire_u8(&w) % ARRAY_SIZE(links)];
	int64_t now = 0;
	if (!f)
		abort();
	while (w.n && !w.bad) {
		/* exactly as large as the packet, so that a sanitizer sees reads beyond it */
		struct buf one CLEANUP(buf_free) = { 0 };
		size_t n = wire_u16(&w);
		now += (int64_t)wire_u8(&w) * 1000000;
		buf_add(&one, wire_bytes(&w, n < w.n ? n : w.n));
		check_packet(f, link, buf_str(&one), now);
	}
	fragments_free(f);
	free(f);
	return 0;
}
