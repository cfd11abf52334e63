/* SPDX-License-Identifier: BSD-3-Clause */
/* fleet.h - the nodes of a central archive, each by the ends of its newest file */
#pragma once

#include "base/listener.h"
#include "report/fleet/judge.h"

/* Nodes that there must be, one a line; "#" begins a comment. None else is looked at then. */
void fleet_expect(struct fleet *f, struct str names);

/* Looks at each node, and judges them all. 0 or -errno: the folder cannot be read, and said why. */
int fleet_look(struct fleet *f, const struct listener *listener) MUST_CHECK;
void fleet_free(struct fleet *f);
