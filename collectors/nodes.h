/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.h - types that are one "key value" file per NUMA node */
#pragma once

#include "collectors/source.h"

/*
 * Adds a row for each NUMA node that has this file below /sys/devices/system/node/nodeN; the device
 * is the node's number (numbers may leave holes). If label is not empty, each line starts with it,
 * the number and a blank: "Node 0 MemFree: 12 kB". 0 or -errno as a collector returns it.
 */
int nodes_collect(struct source *s, const char *file, struct str label) MUST_CHECK;
