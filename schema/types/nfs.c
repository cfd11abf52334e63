/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs.c - type nfs: traffic and operations of NFS clients */
#include "schema/type.h"
#include "schema/types/nfs.h"

/*
 * Keys of one operation, in the order of its line in mountstats (_print_rpc_iostats() in
 * net/sunrpc/stats.c).
 */
#define OP_KEYS(op) \
	{ op "_ops",        COUNTER, "",   op ": requests"                            }, \
	{ op "_ntrans",     COUNTER, "",   op ": transmissions, repeated ones too"    }, \
	{ op "_timeouts",   COUNTER, "",   op ": major timeouts"                      }, \
	{ op "_bytes_sent", COUNTER, "B",  op ": bytes sent, with RPC headers"        }, \
	{ op "_bytes_recv", COUNTER, "B",  op ": bytes received, with RPC headers"    }, \
	{ op "_queue",      COUNTER, "ms", op ": time before requests were sent"      }, \
	{ op "_rtt",        COUNTER, "ms", op ": time between request and reply"      }, \
	{ op "_execute",    COUNTER, "ms", op ": time from call to end, queue and all" },

/*
 * Keys in the order of the lines "events:", "bytes:" (fs/nfs/iostat.h, linux/nfs_iostat.h) and
 * "xprt:" of a mount.
 */
static const struct metric metrics[] = {
	{ "inode_revalidate",  COUNTER, "",  "cached attributes of an inode were checked"        },
	{ "dentry_revalidate", COUNTER, "",  "cached names were checked"                         },
	{ "data_invalidate",   COUNTER, "",  "cached data of an inode were thrown away"          },
	{ "attr_invalidate",   COUNTER, "",  "cached attributes of an inode were thrown away"    },
	{ "vfs_open",          COUNTER, "",  "files or directories opened"                       },
	{ "vfs_lookup",        COUNTER, "",  "names looked up"                                   },
	{ "vfs_access",        COUNTER, "",  "permissions checked"                               },
	{ "vfs_updatepage",    COUNTER, "",  "pages or parts of them changed"                    },
	{ "vfs_readpage",      COUNTER, "",  "single pages read"                                 },
	{ "vfs_readpages",     COUNTER, "",  "groups of pages read"                              },
	{ "vfs_writepage",     COUNTER, "",  "single pages written"                              },
	{ "vfs_writepages",    COUNTER, "",  "groups of pages written"                           },
	{ "vfs_getdents",      COUNTER, "",  "directory reads"                                   },
	{ "vfs_setattr",       COUNTER, "",  "attributes set"                                    },
	{ "vfs_flush",         COUNTER, "",  "flushes of written data, as at close(2)"           },
	{ "vfs_fsync",         COUNTER, "",  "fsync(2) of files and directories"                 },
	{ "vfs_lock",          COUNTER, "",  "locks and unlocks of files"                        },
	{ "vfs_release",       COUNTER, "",  "last closes of files"                              },
	{ "congestion_wait",   COUNTER, "",  "waits for a congested server"                      },
	{ "setattr_trunc",     COUNTER, "",  "files cut or grown by setting their size"          },
	{ "extend_write",      COUNTER, "",  "files grown by writing after their end"            },
	{ "silly_rename",      COUNTER, "",  "open files removed, so renamed instead"            },
	{ "short_read",        COUNTER, "",  "reads that the server answered with less"          },
	{ "short_write",       COUNTER, "",  "writes of which the server took less"              },
	{ "delay",             COUNTER, "",  "requests the server put off (jukebox, delay)"      },
	{ "normal_read",       COUNTER, "B", "read by applications through the page cache"       },
	{ "normal_write",      COUNTER, "B", "written by applications through the page cache"    },
	{ "direct_read",       COUNTER, "B", "read with O_DIRECT"                                },
	{ "direct_write",      COUNTER, "B", "written with O_DIRECT"                             },
	{ "server_read",       COUNTER, "B", "read from the server"                              },
	{ "server_write",      COUNTER, "B", "written to the server"                             },
	{ "read_page",         COUNTER, "",  "pages read by the page cache"                      },
	{ "write_page",        COUNTER, "",  "pages written by the page cache"                   },
	{ "xprt_sends",        COUNTER, "",  "requests sent, over all connections"               },
	{ "xprt_recvs",        COUNTER, "",  "replies received"                                  },
	{ "xprt_bad_xids",     COUNTER, "",  "replies to no known request"                       },
	{ "xprt_req_u",        COUNTER, "",  "requests in flight, added up at every send"        },
	{ "xprt_bklog_u",      COUNTER, "",  "requests in the backlog, added up at every send"   },
	NFS_OPS(OP_KEYS)
};

#define OP_COUNT(op) + 1
_Static_assert(OP_FIRST + (0 NFS_OPS(OP_COUNT)) * OP_WIDTH == ARRAY_SIZE(metrics), "table's shape");

const struct type nfs_type = {
	.name    = "nfs",
	.about   = "NFS clients' traffic and operations",
	.source  = "/proc/self/mountstats: lines events:, bytes:, xprt:, then one per operation, "
		   "in this order",
	.device  = "mount point",
	METRICS(metrics),
};
