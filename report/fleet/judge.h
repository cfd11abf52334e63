/* SPDX-License-Identifier: BSD-3-Clause */
/* judge.h - find the faults of nodes, individually and by comparison */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "archive/from.h"
#include "base/map.h"
#include "report/fleet/look.h"
#include "report/fleet/rules.h"

struct fleet_node {
	/* name from the list of expected nodes if there is a list, else from the archive */
	char *name;
	bool there;		/* the archive has a folder for the node */
	/* modification time of the node's newest file; in a database, time of its last record */
	int64_t written_us;
	struct look look;
	/* description of each fault, by enum fleet_fault; empty if the node lacks the fault */
	struct buf fault[FLEET_FAULTS];
	/* the node has records and is not silent; only such nodes are compared with each other */
	bool delivers;
};

struct fleet {
	/* The caller sets .now_us, .silent_us, .ask, and the archive: .dir or .from. */
	const char *dir;
	struct from from;	/* replaces .dir if .from has a URL */
	/* a node is silent if its last record is older than .silent_us */
	int64_t now_us, silent_us;
	bool ask;			/* query each node by ssh as well */

	struct fleet_node *node;
	size_t n, cap, faulty;
	struct map by_label;
	bool critical;		/* a node has a fault of a critical rule */
	char *program;		/* version that most nodes run, or NULL */
};

/* Fill in .fault and .delivers of all nodes, and the summary of the fleet. */
void fleet_judge(struct fleet *f);
