/* SPDX-License-Identifier: BSD-3-Clause */
/* judge.h - what is wrong with nodes, each by itself and beside the others */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/map.h"
#include "report/fleet/look.h"
#include "report/fleet/rules.h"

struct fleet_node {
	char *name;		/* as the list has it, or else the archive */
	bool there;		/* the archive has a folder of it */
	int64_t written_us;	/* when its newest file was written to, by the file system */
	struct look look;
	struct buf fault[FLEET_FAULTS];	/* in words; empty: it has none */
	bool delivers;		/* has records, and is not silent: others are compared with it */
};

struct fleet {
	/* The caller's, set before. */
	const char *dir;
	int64_t now_us, silent_us;	/* a node whose last record is older is silent */
	bool ask;			/* each node by ssh as well */

	struct fleet_node *node;
	size_t n, cap, faulty;
	struct map by_label;
	bool critical;
	char *program;		/* of most nodes, or NULL */
};

/* Fills in .fault and .delivers of all nodes, and what the fleet has of them all. */
void fleet_judge(struct fleet *f);
