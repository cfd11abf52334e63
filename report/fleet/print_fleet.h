/* SPDX-License-Identifier: BSD-3-Clause */
/* print_fleet.h - print the nodes that need attention: for people, for Nagios, as JSON */
#pragma once

#include "report/fleet/judge.h"

/* returns the worst status (base/plugin.h) of all nodes; "unknown" if there are no nodes */
int fleet_status(const struct fleet *f);
/*
 * Print for people and Nagios: a summary line that begins with the worst status, then a line per
 * node with faults.
 */
void fleet_put_text(struct buf *b, const struct fleet *f);
void fleet_put_json(struct buf *b, const struct fleet *f);
