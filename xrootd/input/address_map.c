/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * address_map.c - replace addresses changed by a NAT with the servers' names or addresses (--map)
 */
#include "xrootd/input/address_map.h"

#include <errno.h>

int address_map_add(struct address_map *m, const char *text)
{
	char nets[1024];
	struct str host = str_of(text), from;
	struct shoveled to = { .port = 0 };
	size_t before = m->nets.n;
	if (!str_take_until(&host, '=', &from) || !str_copy(nets, sizeof(nets), from) ||
	    !shoveler_take_host(host, &to))
		return -EINVAL;
	int r = net_list_add(&m->nets, nets);
	for (size_t i = before; i < m->nets.n; i++)
		m->to[i] = to;
	return r;
}

void address_map_apply(const struct address_map *m, struct xrd_source *from)
{
	int i = net_list_find(&m->nets, &from->address);
	if (i < 0)
		return;
	from->address = m->to[i].address;
	from->name = m->to[i].name[0] ? m->to[i].name : NULL;
}
