/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_pcap.c - read datagrams from a tcpdump capture */
#include "xrootd/input/xrd_pcap.h"

#include <errno.h>
#include "formats/xrootd/packet.h"
#include "xrootd/input/fragments.h"

#ifdef HAVE_LIBPCAP
#include <pcap/pcap.h>

/*
 * Check if a datagram is XRootD monitoring. If the capture truncated the datagram, check only its
 * header.
 */
static bool capture_is_monitoring(const struct udp_datagram *d)
{
	struct xrd_packet ignored;
	struct wire w = wire_of(d->data);
	if (d->data.n == d->size)
		return xrd_open(d->data, &ignored) != -EBADMSG;
	char code = (char)wire_u8(&w);
	wire_u8(&w);
	return code && strchr("=dipuxUTfrtg", code) && wire_u16(&w) == d->size && !w.bad;
}

static void capture_take_udp(struct xrd_capture *c, const struct ip_packet *p, int64_t now,
			     const struct xrd_datagrams *to)
{
	struct udp_datagram d;
	int r = packet_udp(p, &d);
	c->damaged += r == -EBADMSG;
	if (r < 0)
		return;
	if (c->port ? d.destination_port != c->port : !capture_is_monitoring(&d)) {
		c->others++;
		return;
	}
	const struct xrd_source from = { p->source, d.source_port, NULL };
	to->take(to->arg, &from, d.data, now);
}

static void capture_take_packet(struct xrd_capture *c, struct fragments *f, int link,
				struct str packet,
				int64_t now, const struct xrd_datagrams *to)
{
	struct ip_packet p;
	int r = packet_ip(link, packet, &p);
	c->packets++;
	c->damaged += r == -EBADMSG;
	if (r < 0 || p.protocol != IPPROTO_UDP)
		return;
	if (packet_is_fragment(&p) && !fragments_add(f, &p, now))
		return;
	capture_take_udp(c, &p, now, to);
}

static bool capture_knows_link(int link)
{
	struct ip_packet ignored;
	return packet_ip(link, STR(""), &ignored) != -ENOTSUP;
}

static int capture_read_packets(pcap_t *p, struct xrd_capture *c, const struct xrd_datagrams *to)
{
	struct fragments f = { .given_up = 0 };
	struct pcap_pkthdr *h;
	const unsigned char *data;
	int link = pcap_datalink(p), r;
	if (!capture_knows_link(link)) {
		snprintf(c->why, sizeof(c->why), "link type %d is not known", link);
		return -EBADMSG;
	}
	while ((r = pcap_next_ex(p, &h, &data)) == 1)
		capture_take_packet(c, &f, link, (struct str){ (const char *)data, h->caplen },
				    (int64_t)h->ts.tv_sec * 1000000 + h->ts.tv_usec, to);
	fragments_free(&f);
	c->fragments_lost = f.given_up;
	if (r == PCAP_ERROR)
		snprintf(c->why, sizeof(c->why), "%s", pcap_geterr(p));
	return r == PCAP_ERROR ? -EBADMSG : 0;
}

int xrd_read_pcap(FILE *f, struct xrd_capture *c, const struct xrd_datagrams *to)
{
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *p = pcap_fopen_offline_with_tstamp_precision(f, PCAP_TSTAMP_PRECISION_MICRO,
							     error);
	if (!p) {
		snprintf(c->why, sizeof(c->why), "%s", error);
		fclose(f);
		return -EBADMSG;
	}
	int r = capture_read_packets(p, c, to);
	pcap_close(p);
	return r;
}
#else
int xrd_read_pcap(FILE *f, struct xrd_capture *c, const struct xrd_datagrams *to)
{
	(void)to;
	fclose(f);
	snprintf(c->why, sizeof(c->why), "this nodometer was built without libpcap");
	return -ENOTSUP;
}
#endif
