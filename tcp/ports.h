/* SPDX-License-Identifier: BSD-3-Clause */
/* ports.h - the connections that -p LPORT.RPORT names */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/cli.h"

struct ports {
	uint16_t local, remote;
};

struct ports_list {		/* all zero: all connections */
	struct ports *p;
	size_t n, cap;
};

bool ports_wanted(const struct ports_list *l, struct ports p);

/* "1055.5050"; ends the program where it is something else. */
void ports_add(struct ports_list *l, const struct cli *cli, const char *arg);
