/* SPDX-License-Identifier: BSD-3-Clause */
/* net - traffic and errors of each network interface that is up */
#include "collectors/collector.h"
#include "collectors/net_below.h"
#include "collectors/net_links.h"
#include "schema/types/net.h"

#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>

#define NET "sys/class/net"

/* The same counters where rtnetlink has them, in the same order. */
#define AT(field) offsetof(struct rtnl_link_stats64, field)
static const size_t offsets[] = {
	AT(collisions), AT(multicast), AT(rx_bytes), AT(rx_compressed), AT(rx_crc_errors),
	AT(rx_dropped), AT(rx_errors), AT(rx_fifo_errors), AT(rx_frame_errors),
	AT(rx_length_errors), AT(rx_missed_errors), AT(rx_over_errors), AT(rx_packets),
	AT(tx_aborted_errors), AT(tx_bytes), AT(tx_carrier_errors), AT(tx_compressed),
	AT(tx_dropped), AT(tx_errors), AT(tx_fifo_errors), AT(tx_heartbeat_errors),
	AT(tx_packets), AT(tx_window_errors), AT(rx_nohandler),
};
_Static_assert(ARRAY_SIZE(offsets) == NET_KEYS, "one offset for each metric");

/* "0x1003\n": lower case hexadecimal (net/core/net-sysfs.c) */
static bool take_flags(struct str text, unsigned *flags)
{
	unsigned v = 0;
	size_t n = 0;
	if (!str_take_prefix(&text, STR("0x")))
		return false;
	for (; n < text.n && n < 8; n++) {
		char c = text.p[n];
		if (c >= '0' && c <= '9')
			v = v << 4 | (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (unsigned)(c - 'a' + 10);
		else
			break;
	}
	*flags = v;
	return n > 0;
}

static bool is_up(struct source *s, const char *name)
{
	struct str text;
	unsigned flags;
	return source_read_in(s, NET, name, "flags", &text) == 0 &&
	       take_flags(text, &flags) && flags & IFF_UP;
}

static void collect_interface(struct source *s, const char *name)
{
	struct row row = rows_add(&s->rows, str_of(name));
	struct str text;
	bool any = false;
	uint64_t v;

	for (size_t i = 0; i < NET_KEYS; i++) {
		char leaf[64];
		snprintf(leaf, sizeof(leaf), "statistics/%s", s->rows.metrics[i].name);
		if (source_read_in(s, NET, name, leaf, &text) < 0 || !str_take_u64(&text, &v))
			continue;
		row_set(row, i, v);
		any = true;
	}
	if (!any)
		rows_drop(&s->rows);
}

static int collect_files(struct source *s)
{
	int n = source_devices(s, NET, "");
	if (n < 0)
		return n;

	for (int i = 0; i < n; i++)
		if (is_up(s, source_device_name(s, (size_t)i)))
			collect_interface(s, source_device_name(s, (size_t)i));
	return s->rows.n ? 0 : source_absent(s, "/sys/class/net has no interface that is up");
}

static int collect(struct source *s)
{
	int r = s->files.in_root ? -EOPNOTSUPP : net_links_collect(s, offsets);
	if (r == -EOPNOTSUPP)
		r = collect_files(s);
	if (r == 0 && s->rescan)
		net_below(s);
	return r;
}

const struct collector net_collector = {
	.type    = &net_type,
	.collect = collect,
};
