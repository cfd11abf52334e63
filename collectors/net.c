/* SPDX-License-Identifier: BSD-3-Clause */
/* net - traffic and errors of each network interface that is up */
#include "collectors/collector.h"

#include <errno.h>
#include <fnmatch.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "collectors/net_links.h"
#include "collectors/source.h"
#include "schema/types/net.h"

#define NET "sys/class/net"

struct interfaces {
	struct names names;
	struct names files;	/* scratch memory for the file names of an interface */
	enum kind {
		OTHER,		/* not a directory, such as bonding_masters */
		WIRE,		/* the interface has a hardware device */
		STACKED,	/* the interface uses others, and the kernel shows which ones */
		/*
		 * veth, tun, dummy, VPN: no hardware, and the interfaces that it uses are unknown
		 */
		GUEST,
	} *kind;
};

/*
 * Record in the file header which interfaces this one uses. The kernel shows those interfaces as
 * links: lower_eth0 since Linux 3.13; before, slave_eth0, for bonds only.
 */
static enum kind net_add_lowers(struct source *s, const char *name, const struct names *files)
{
	enum kind kind = GUEST;
	for (size_t i = 0; i < files->n; i++) {
		struct str lower = str_of(files->name[i]);
		if (str_eq(lower, STR("device")) && kind == GUEST)
			kind = WIRE;
		if (!str_take_prefix(&lower, STR("lower_")))
			continue;
		rows_stands_on(&s->rows, str_of(name), lower, false);
		kind = STACKED;
	}
	for (size_t i = 0; i < files->n && kind == GUEST; i++) {
		struct str lower = str_of(files->name[i]);
		if (str_take_prefix(&lower, STR("slave_")))
			rows_stands_on(&s->rows, str_of(name), lower, false);
	}
	return kind == GUEST && rows_has_below(&s->rows, str_of(name)) ? STACKED : kind;
}

/*
 * Returns true for interfaces without a hardware device that carry their own traffic: loopback,
 * modems, and Cray's Gemini and Aries networks.
 */
static bool is_own_wire(const char *name)
{
	static const char *const patterns[] = { "lo", "ppp*", "sl[0-9]*", "ipogif*" };
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

/*
 * Record in the file header that a VLAN such as "eth0.1015" uses "eth0", for kernels without links
 * such as lower_eth0.
 */
static bool net_add_vlan(struct source *s, const struct interfaces *n, const char *name)
{
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot && i < n->names.n; i++) {
		struct str lower = str_of(n->names.name[i]);
		if (!str_eq(lower, (struct str){ name, (size_t)(dot - name) }))
			continue;
		rows_stands_on(&s->rows, str_of(name), lower, false);
		return true;
	}
	return false;
}

/*
 * Record in the file header that the traffic of a virtual interface may use any hardware interface,
 * or never leave the node. A container has no hardware interface; there, the virtual interface
 * itself is counted.
 */
static void net_add_guest(struct source *s, const struct interfaces *n, const char *name)
{
	if (is_own_wire(name) || net_add_vlan(s, n, name))
		return;
	for (size_t i = 0; i < n->names.n; i++)
		if (n->kind[i] == WIRE)
			rows_stands_on(&s->rows, str_of(name), str_of(n->names.name[i]), false);
}

/*
 * Record in the file header which interfaces each interface uses, so that traffic is not counted
 * twice: see rows_below().
 */
static void net_below(struct source *s)
{
	struct interfaces n = { 0 };
	bool any = false;
	if (names_list(&n.names, &s->files, NET, "") == 0 && n.names.n) {
		rows_below(&s->rows);
		n.kind = xrealloc(NULL, n.names.n * sizeof(*n.kind));
	}
	for (size_t i = 0; n.kind && i < n.names.n; i++) {
		char path[sizeof(NET) + 1 + NAME_SIZE];
		snprintf(path, sizeof(path), NET "/%s", n.names.name[i]);
		n.kind[i] = OTHER;
		if (names_list(&n.files, &s->files, path, "") == 0)
			n.kind[i] = net_add_lowers(s, n.names.name[i], &n.files);
		any |= n.kind[i] == WIRE || n.kind[i] == STACKED;
	}
	for (size_t i = 0; n.kind && i < n.names.n; i++)
		if (n.kind[i] == GUEST)
			net_add_guest(s, &n, n.names.name[i]);
	if (!any)
		rows_below_unknown(&s->rows);
	names_free(&n.names);
	names_free(&n.files);
	free(n.kind);
}

/* Offset of each key's counter in rtnetlink's structure. */
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

/*
 * Returns true if the interface is up: bit IFF_UP in "flags", such as 0x1003
 * (net/core/net-sysfs.c).
 */
static bool is_up(struct source *s, const char *name)
{
	struct str text;
	uint64_t flags;
	return source_read_in(s, NET, name, "flags", &text) == 0 &&
	       str_take_prefix(&text, STR("0x")) && str_take_hex(&text, &flags) && flags & IFF_UP;
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

static int net_collect(struct source *s)
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
	.collect = net_collect,
};
