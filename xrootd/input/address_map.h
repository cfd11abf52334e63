/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * address_map.h - replace addresses changed by a NAT with the servers' names or addresses (--map)
 */
#pragma once

#include "formats/xrootd/shoveler.h"
#include "xrootd/input/net_list.h"
#include "xrootd/join/xrd_servers.h"

/* All zero is a valid empty map. */
struct address_map {
	struct net_list nets;
	/* name or address that replaces addresses of each network; .port is unused */
	struct shoveled to[NETS_MAX];
};

/*
 * Add a mapping "NET,...=HOST", where HOST is a name or an address. Returns 0, -EINVAL if the text
 * is malformed, or -E2BIG if there are too many networks.
 */
int address_map_add(struct address_map *m, const char *text) MUST_CHECK;

/*
 * Replace the address by the replacement of the first network that contains it. The port stays. If
 * the replacement is a name, its text is borrowed from the map.
 */
void address_map_apply(const struct address_map *m, struct xrd_source *from);
