/* SPDX-License-Identifier: BSD-3-Clause */
/* print_fleet.h - the nodes that need somebody: for people, for Nagios, as JSON */
#pragma once

#include "report/fleet/judge.h"

int fleet_status(const struct fleet *f);	/* of base/plugin.h; unknown: there is no node */
/* For people and Nagios: a line on all, which begins with a word on the worst, and one for each. */
void fleet_put_text(struct buf *b, const struct fleet *f);
void fleet_put_json(struct buf *b, const struct fleet *f);
