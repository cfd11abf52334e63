/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.h - collect "key value" files of NUMA nodes */
#pragma once

#include "collectors/source.h"

/*
 * Add a row for each NUMA node that has this file below /sys/devices/system/node/nodeN. The device
 * is the node's number; numbers may have gaps. If label is not empty, each line starts with the
 * label, the number and a blank: "Node 0 MemFree: 12 kB". Returns 0 or -errno, as a collector does.
 */
int nodes_collect(struct source *s, const char *file, struct str label) MUST_CHECK;
