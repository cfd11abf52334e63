/* SPDX-License-Identifier: BSD-3-Clause */
/* llite - operations of programs on each Lustre mount */
#include "collectors/collector.h"

#include "collectors/lustre.h"

/*
 * Keys that only some versions of Lustre have: direct_* up to Lustre 2.3, osc_* up to 2.9,
 * dirty_pages_* and brw_* up to 2.12. The other keys of the list exist only in newer versions.
 */
static const char *const varying[] = {
	"direct_read", "direct_write", "osc_read", "osc_write", "dirty_pages_hits",
	"dirty_pages_misses", "lookup", "read", "write", "brw_read", "getxattr_hits", "page_fault",
	"page_mkwrite", "brw_write", "fallocate", NULL
};

static const struct lustre_type type = {
	.dir     = LUSTRE_IN_PLACES("llite"),
	.varying = varying,
};

const struct collector llite_collector = {
	.type    = &llite_type,
	.collect = lustre_collect,
	.data    = &type,
	.needs   = PRIVILEGE_SEARCH,
};
