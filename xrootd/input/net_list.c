/* SPDX-License-Identifier: BSD-3-Clause */
/* net_list.c - networks from which datagrams are accepted */
#include "xrootd/input/net_list.h"

#include <arpa/inet.h>
#include <errno.h>
#include "base/str.h"

static int net_list_add_one(struct net_list *l, struct str text)
{
	char name[INET6_ADDRSTRLEN];
	struct in6_addr a = { .s6_addr = { [10] = 0xff, [11] = 0xff } };
	struct str address = text;
	bool slash = str_take_until(&text, '/', &address);
	if (l->n == NETS_MAX)
		return -E2BIG;
	if (!str_copy(name, sizeof(name), address))
		return -EINVAL;
	bool v4 = inet_pton(AF_INET, name, a.s6_addr + 12) == 1;
	uint64_t most = v4 ? 32 : 128, bits = most;
	if (!v4 && inet_pton(AF_INET6, name, &a) != 1)
		return -EINVAL;
	if (slash && (!str_is_u64(text) || !str_take_u64(&text, &bits) || bits > most))
		return -EINVAL;
	l->net[l->n].address = a;
	l->net[l->n++].bits = (unsigned)(bits + 128 - most);
	return 0;
}

int net_list_add(struct net_list *l, const char *text)
{
	struct str s = str_of(text), one;
	int r = s.n ? 0 : -EINVAL;
	while (r == 0 && str_take_until(&s, ',', &one))
		r = net_list_add_one(l, one);
	return r < 0 ? r : net_list_add_one(l, s);
}

static bool net_list_same_bits(const struct in6_addr *a, const struct in6_addr *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;
	if (memcmp(a, b, whole) != 0)
		return false;
	return !rest || (a->s6_addr[whole] ^ b->s6_addr[whole]) >> (8 - rest) == 0;
}

int net_list_find(const struct net_list *l, const struct in6_addr *address)
{
	for (size_t i = 0; i < l->n; i++)
		if (net_list_same_bits(&l->net[i].address, address, l->net[i].bits))
			return (int)i;
	return -1;
}

bool net_list_has(const struct net_list *l, const struct in6_addr *address)
{
	return net_list_find(l, address) >= 0;
}
