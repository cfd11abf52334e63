/* SPDX-License-Identifier: BSD-3-Clause */
/* net_links.h - counters of all network interfaces in one question to the kernel, by rtnetlink */
#pragma once

#include "collectors/source.h"

/*
 * A row for each interface that was up when names were last asked for: at the first sample, when
 * s->rescan is set, and when an unknown interface turns up, which sets it. offset[key] is where the
 * key is in struct rtnl_link_stats64; what this kernel's is too short for stays absent. Returns 0,
 * -EOPNOTSUPP if the kernel (before 4.7) or a sandbox does not allow it, or another -errno.
 */
int net_links_collect(struct source *s, const size_t *offset) MUST_CHECK;
