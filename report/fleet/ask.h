/* SPDX-License-Identifier: BSD-3-Clause */
/* ask.h - query the status of nodes by ssh */
#pragma once

#include "report/fleet/judge.h"

/*
 * Run "nodometer status --check" on each node by ssh(1), many nodes in parallel. A node gets a
 * fault if it reports a problem or does not reply.
 */
void ask_nodes(struct fleet *f);
