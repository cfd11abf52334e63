/* SPDX-License-Identifier: BSD-3-Clause */
/* ask.h - what nodes say of themselves, asked by ssh */
#pragma once

#include "report/fleet/judge.h"

/*
 * Has ssh(1) run "nodometer status --check" on each node, many at once, and notes what is wrong as
 * a fault of the node: what it says, or that it says nothing in time.
 */
void ask_nodes(struct fleet *f);
