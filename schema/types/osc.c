/* SPDX-License-Identifier: BSD-3-Clause */
/* osc.c - type osc: Lustre object storage requests */
#include "schema/type.h"
#include "schema/types/lustre.h"

/* Keys for requests are named as in ll_rpc_opcode_table (lustre/ptlrpc/lproc_ptlrpc.c). */
static const struct metric metrics[] = {
	{ "read_bytes",           COUNTER, "B",  "read"                    },
	{ "write_bytes",          COUNTER, "B",  "written"                 },
	{ "ost_destroy",          COUNTER, "",   "objects removed"         },
	{ "ost_punch",            COUNTER, "",   "objects truncated"       },
	{ "ost_read",             COUNTER, "",   "reads"                   },
	{ "ost_setattr",          COUNTER, "",   "attributes set"          },
	{ "ost_statfs",           COUNTER, "",   "statfs calls"            },
	{ "ost_write",            COUNTER, "",   "writes"                  },
	{ "reqs",                 COUNTER, "",   "requests answered",      "req_waittime" },
	{ "wait",                 COUNTER, "us", "time until the answers", "req_waittime" },
	{ "req_active",           COUNTER, "",   "requests sent"           },
	{ "ldlm_cancel",          COUNTER, "",   "locks given back"        },
	{ "ost_connect",          COUNTER, "",   "connections made"        },
	{ "obd_ping",             COUNTER, "",   "pings"                   },
	{ "ldlm_extent_enqueue",  COUNTER, "",   "extent locks asked for"  },
	{ "ldlm_glimpse_enqueue", COUNTER, "",   "sizes asked for"         },
	{ "ost_sync",             COUNTER, "",   "objects synchronised"    },
};

const struct type osc_type = {
	.name    = "osc",
	.about   = "Lustre object storage requests",
	.source  = LUSTRE_SOURCE("osc/SERVER"),
	.device  = "file system and address of the mount's superblock",
	METRICS(metrics),
};
