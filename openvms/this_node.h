/* SPDX-License-Identifier: BSD-3-Clause */
/* this_node.h - this node's own moments, from the agent's collectors */
#pragma once

#include "monitor/moment.h"

/* Capabilities that sampling for these classes takes, on this machine. */
uint64_t this_node_needs(uint32_t wanted);

/*
 * Each next() samples at once. wanted: the classes, bit n class n; those without a source here are
 * taken out of *wanted. 0 or -errno, which is logged.
 */
int this_node_open(struct moments *m, uint32_t *wanted) MUST_CHECK;
