/* SPDX-License-Identifier: BSD-3-Clause */
/* osc - requests of each Lustre mount to its object storage servers */
#include "collectors/collector.h"

#include "collectors/lustre.h"

/*
 * Keys that only some versions of Lustre have. If a row lacks such a key, the key is 0 only if this
 * node had it before.
 */
static const char *const varying[] = {
	"req_active", "ldlm_cancel", "ost_connect", "obd_ping", "ldlm_extent_enqueue",
	"ldlm_glimpse_enqueue", "ost_sync", NULL
};

static const struct lustre_type type = {
	.dir     = LUSTRE_IN_PLACES("osc"),
	.server  = "osc",
	.varying = varying,
};

const struct collector osc_collector = {
	.type    = &osc_type,
	.collect = lustre_collect,
	.data    = &type,
	.needs   = PRIVILEGE_SEARCH,
};
