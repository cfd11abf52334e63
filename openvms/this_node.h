/* SPDX-License-Identifier: BSD-3-Clause */
/* this_node.h - moments of this node, from the agent's collectors */
#pragma once

#include "openvms/moment.h"

/* Return the capabilities that samples of these classes need on this machine. */
uint64_t this_node_needs(uint32_t wanted);

/*
 * Open a stream that takes a sample at each next(). wanted is a mask of classes; classes without a
 * source on this node are removed from *wanted. Returns 0 or -errno; errors are logged.
 */
int this_node_open(struct moments *m, uint32_t *wanted) MUST_CHECK;
