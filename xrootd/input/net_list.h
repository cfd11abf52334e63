/* SPDX-License-Identifier: BSD-3-Clause */
/* net_list.h - networks from which datagrams are accepted */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/base.h"

#define NETS_MAX 64

struct net_list {
	size_t n;
	struct {
		struct in6_addr address;	/* IPv4 addresses are mapped to IPv6 */
		unsigned bits;
	} net[NETS_MAX];
};

/*
 * Add networks such as "192.0.2.0/24,2001:db8::1". Returns 0, -EINVAL if the text is malformed, or
 * -E2BIG if there are too many.
 */
int net_list_add(struct net_list *l, const char *text) MUST_CHECK;
/* Return the index of the first network that has the address, or -1. */
int net_list_find(const struct net_list *l, const struct in6_addr *address);
bool net_list_has(const struct net_list *l, const struct in6_addr *address);
