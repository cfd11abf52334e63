/* SPDX-License-Identifier: BSD-3-Clause */
/* ldlm_cbd.c - type ldlm_cbd: requests of Lustre servers to this client */
#include "schema/type.h"
#include "schema/types/lustre.h"

/* Keys for requests are named as in ll_rpc_opcode_table (lustre/ptlrpc/lproc_ptlrpc.c). */
static const struct metric metrics[] = {
	{ "ldlm_bl_callback", COUNTER, "", "locks that another client waits for"   },
	{ "ldlm_cp_callback", COUNTER, "", "locks granted after a wait"            },
	{ "ldlm_gl_callback", COUNTER, "", "sizes asked for that a lock protects"  },
};

const struct type ldlm_cbd_type = {
	.name    = "ldlm_cbd",
	.about   = "Lustre servers' requests about locks to this client",
	.source  = LUSTRE_SOURCE("ldlm/services/ldlm_cbd"),
	.device  = "the whole node",
	.off     = true,
	METRICS(metrics),
};
