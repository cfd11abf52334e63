/* SPDX-License-Identifier: BSD-3-Clause */
/* mdc.c - type mdc: Lustre metadata requests */
#include "schema/type.h"
#include "schema/types/lustre.h"

/* Keys are named as in ll_rpc_opcode_table (lustre/ptlrpc/lproc_ptlrpc.c). */
static const struct metric metrics[] = {
	{ "ldlm_cancel",          COUNTER, "",   "locks given back"                         },
	{ "mds_close",            COUNTER, "",   "files closed"                             },
	{ "mds_getattr",          COUNTER, "",   "attributes asked for"                     },
	{ "mds_getattr_lock",     COUNTER, "",   "attributes asked for with a lock"         },
	{ "mds_getxattr",         COUNTER, "",   "extended attributes asked for"            },
	{ "mds_readpage",         COUNTER, "",   "directory pages read"                     },
	{ "mds_statfs",           COUNTER, "",   "statfs calls"                             },
	{ "mds_sync",             COUNTER, "",   "files synchronised"                       },
	{ "reqs",                 COUNTER, "",   "requests answered",      "req_waittime" },
	{ "wait",                 COUNTER, "us", "time until the answers", "req_waittime" },
	{ "req_active",           COUNTER, "",   "requests sent"                            },
	{ "mds_connect",          COUNTER, "",   "connections made"                         },
	{ "mds_getstatus",        COUNTER, "",   "root directories asked for (up to 2.10)"  },
	{ "mds_get_root",         COUNTER, "",   "root directories asked for"               },
	{ "mds_quotactl",         COUNTER, "",   "quota calls"                              },
	{ "mds_hsm_state_set",    COUNTER, "",   "archive states set"                       },
	{ "ldlm_glimpse_enqueue", COUNTER, "",   "glimpse locks asked for"                  },
	{ "ldlm_ibits_enqueue",   COUNTER, "",   "inode locks asked for"                    },
	{ "obd_ping",             COUNTER, "",   "pings"                                    },
	{ "seq_query",            COUNTER, "",   "ranges of file identifiers asked for"     },
	{ "fld_query",            COUNTER, "",   "locations of file identifiers asked for"  },
	{ "read_bytes",           COUNTER, "B",  "read from files that an MDT holds"        },
	{ "write_bytes",          COUNTER, "B",  "written to such files"                    },
	{ "ost_read",             COUNTER, "",   "reads from such files"                    },
	{ "ost_write",            COUNTER, "",   "writes to such files"                     },
};

const struct type mdc_type = {
	.name    = "mdc",
	.about   = "Lustre metadata requests",
	.source  = LUSTRE_SOURCE("mdc/SERVER"),
	.device  = "file system and address of the mount's superblock",
	METRICS(metrics),
};
