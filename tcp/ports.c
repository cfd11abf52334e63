/* SPDX-License-Identifier: BSD-3-Clause */
/* ports.c - select connections by ports (-p LPORT.RPORT) */
#include "tcp/ports.h"

#include "base/str.h"
#include "base/vec.h"

static bool ports_match(uint16_t named, uint16_t port)
{
	return named == 0 || named == port;
}

bool ports_wanted(const struct ports_list *l, struct port_pair p)
{
	for (size_t i = 0; i < l->n; i++)
		if (ports_match(l->p[i].local, p.local) && ports_match(l->p[i].remote, p.remote))
			return true;
	return l->n == 0;
}

void ports_add(struct ports_list *l, const struct cli *cli, const char *arg)
{
	struct str s = str_of(arg), local;
	uint64_t from, to;

	if (!str_take_until(&s, '.', &local) || !str_is_u64(local) || !str_is_u64(s) ||
	    !str_take_u64(&local, &from) || !str_take_u64(&s, &to) || from > 65535 || to > 65535 ||
	    from + to == 0)
		cli_wrong(cli, "-p %s: write LPORT.RPORT, such as 1055.5050; 0 is any port", arg);
	l->p = vec_reserve(l->p, &l->cap, l->n + 1, sizeof(*l->p));
	l->p[l->n++] = (struct port_pair){ (uint16_t)from, (uint16_t)to };
}
