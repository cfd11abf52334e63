/* SPDX-License-Identifier: BSD-3-Clause */
/* net_links.h - read the counters of all network interfaces with one rtnetlink request */
#pragma once

#include "collectors/source.h"

/*
 * Add a row for each interface that was up when the names were last requested, which happens at the
 * first sample, when s->rescan is set, and when an unknown interface appears (s->rescan is then
 * set). offset[key] is the position of a key in struct rtnl_link_stats64; keys beyond the size of
 * this kernel's structure are missing. Returns 0; -EOPNOTSUPP if the kernel (before 4.7) or a
 * sandbox does not allow the request; or another -errno.
 */
int net_links_collect(struct source *s, const size_t *offset) MUST_CHECK;
