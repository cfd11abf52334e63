/* SPDX-License-Identifier: BSD-3-Clause */
/* this_node.h - take live samples of this node with the agent's collectors */
#pragma once

#include "openvms/moment.h"

/* Return the capabilities that samples of these classes need. */
uint64_t this_node_needs(uint32_t wanted);

/*
 * Open a stream that takes a sample at each next(). *wanted is a mask of classes; classes that this
 * node cannot measure are removed. Returns 0 or -errno; errors are logged. Call moments_close() in
 * both cases.
 */
int this_node_open(struct moments *m, uint32_t *wanted) MUST_CHECK;
