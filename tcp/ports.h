/* SPDX-License-Identifier: BSD-3-Clause */
/* ports.h - select connections by ports (-p LPORT.RPORT) */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/cli.h"

struct port_pair {
	uint16_t local, remote;
};

/*
 * A list of port pairs. An empty list (all zero) selects all connections. Port 0 is any port. The
 * caller frees .p.
 */
struct ports_list {
	struct port_pair *p;
	size_t n, cap;
};

bool ports_wanted(const struct ports_list *l, struct port_pair p);

/* Add a pair such as "1055.5050". A malformed pair ends the program with a usage error. */
void ports_add(struct ports_list *l, const struct cli *cli, const char *arg);
