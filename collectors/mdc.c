/* SPDX-License-Identifier: BSD-3-Clause */
/* mdc - requests of each Lustre mount to its metadata servers */
#include "collectors/collector.h"

#include "collectors/lustre.h"

/*
 * Keys that only some versions of Lustre have. If a row lacks such a key, the key is 0 only if this
 * node had it before.
 */
static const char *const varying[] = {
	"req_active", "mds_connect", "mds_getstatus", "mds_get_root", "mds_quotactl",
	"mds_hsm_state_set", "ldlm_glimpse_enqueue", "ldlm_ibits_enqueue", "obd_ping",
	"seq_query", "fld_query", "read_bytes", "write_bytes", "ost_read", "ost_write", NULL
};

static const struct lustre_type type = {
	.dir     = LUSTRE_IN_PLACES("mdc"),
	.server  = "mdc",
	.varying = varying,
};

const struct collector mdc_collector = {
	.type    = &mdc_type,
	.collect = lustre_collect,
	.data    = &type,
	.needs   = PRIVILEGE_SEARCH,
};
