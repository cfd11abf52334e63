/* SPDX-License-Identifier: BSD-3-Clause */
/* net_links.h - read the counters of all network interfaces with one rtnetlink request */
#pragma once

#include "collectors/source.h"

/*
 * Add a row for each interface that was up when interfaces were last listed: at the first sample,
 * at a rescan, and when an unknown interface appears (which sets s->rescan). offset[] has the
 * position of each key in struct rtnl_link_stats64; keys beyond the size of this kernel's structure
 * are missing. Returns 0; -EOPNOTSUPP if the kernel is older than 4.7 or a sandbox forbids the
 * request; or another -errno.
 */
int net_links_collect(struct source *s, const size_t *offset) MUST_CHECK;
