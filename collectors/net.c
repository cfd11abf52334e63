/* SPDX-License-Identifier: BSD-3-Clause */
/* net - traffic and errors of each network interface that is up */
#include "collectors/collector.h"
#include "collectors/net_links.h"

#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>

#define NET "sys/class/net"

/* Named as in /sys/class/net/I/statistics (Documentation/ABI/testing/sysfs-class-net-statistics) */
static const struct metric metrics[] = {
	{ "collisions",          COUNTER, "",  "collisions"                                     },
	{ "multicast",           COUNTER, "",  "multicast packets received"                     },
	{ "rx_bytes",            COUNTER, "B", "received"                                       },
	{ "rx_compressed",       COUNTER, "",  "compressed packets received (PPP)"              },
	{ "rx_crc_errors",       COUNTER, "",  "received with a wrong checksum"                 },
	{ "rx_dropped",          COUNTER, "",  "received, but not processed: no room, no use"   },
	{ "rx_errors",           COUNTER, "",  "bad packets received"                           },
	{ "rx_fifo_errors",      COUNTER, "",  "receiver's FIFO ran over"                       },
	{ "rx_frame_errors",     COUNTER, "",  "received with an alignment error"               },
	{ "rx_length_errors",    COUNTER, "",  "received with an impossible length"             },
	{ "rx_missed_errors",    COUNTER, "",  "missed by the device for want of buffers"       },
	{ "rx_over_errors",      COUNTER, "",  "receiver's ring ran over"                       },
	{ "rx_packets",          COUNTER, "",  "packets received"                               },
	{ "tx_aborted_errors",   COUNTER, "",  "not sent: aborted"                              },
	{ "tx_bytes",            COUNTER, "B", "sent"                                           },
	{ "tx_carrier_errors",   COUNTER, "",  "not sent: no carrier"                           },
	{ "tx_compressed",       COUNTER, "",  "compressed packets sent"                        },
	{ "tx_dropped",          COUNTER, "",  "not sent: dropped before the device"            },
	{ "tx_errors",           COUNTER, "",  "not sent: errors of all kinds"                  },
	{ "tx_fifo_errors",      COUNTER, "",  "not sent: FIFO ran empty"                       },
	{ "tx_heartbeat_errors", COUNTER, "",  "heartbeat or signal quality errors"             },
	{ "tx_packets",          COUNTER, "",  "packets sent"                                   },
	{ "tx_window_errors",    COUNTER, "",  "not sent: late collision"                       },
	{ "rx_nohandler",        COUNTER, "",  "dropped on an inactive interface (since 4.6)"   },
};

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
_Static_assert(ARRAY_SIZE(offsets) == ARRAY_SIZE(metrics), "one offset for each metric");

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

static bool is_up(struct sample *s, const char *name)
{
	struct str text;
	unsigned flags;
	return sample_read_in(s, NET, name, "flags", &text) == 0 &&
	       take_flags(text, &flags) && flags & IFF_UP;
}

static void collect_interface(struct sample *s, const char *name)
{
	struct row row = sample_row(s, str_of(name));
	struct str text;
	bool any = false;
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		char leaf[64];
		snprintf(leaf, sizeof(leaf), "statistics/%s", metrics[i].name);
		if (sample_read_in(s, NET, name, leaf, &text) < 0 || !str_take_u64(&text, &v))
			continue;
		row_set(row, i, v);
		any = true;
	}
	if (!any)
		sample_drop_row(s);
}

static int collect_files(struct sample *s)
{
	int n = sample_devices(s, NET, "");
	if (n < 0)
		return n;

	for (int i = 0; i < n; i++)
		if (is_up(s, sample_device_name(s, (size_t)i)))
			collect_interface(s, sample_device_name(s, (size_t)i));
	return s->n_rows ? 0 : sample_absent(s, "/sys/class/net has no interface that is up");
}

static int collect(struct sample *s)
{
	int r = s->files.in_root ? -EOPNOTSUPP : net_links_collect(s, offsets);
	return r == -EOPNOTSUPP ? collect_files(s) : r;
}

const struct collector net_collector = {
	.name    = "net",
	.summary = "network interfaces",
	.source  = "rtnetlink, RTM_GETSTATS; before Linux 4.7 /sys/class/net/NAME/statistics/KEY",
	.device  = "network interface",
	.collect = collect,
	METRICS(metrics),
};
