/* SPDX-License-Identifier: BSD-3-Clause */
/* ask.h - query the status of nodes by ssh */
#pragma once

#include "report/fleet/judge.h"

/*
 * Run "nodometer status --check" on each node by ssh(1), many nodes in parallel. A problem that a
 * node reports, or a missing reply, becomes a fault of the node.
 */
void ask_nodes(struct fleet *f);
