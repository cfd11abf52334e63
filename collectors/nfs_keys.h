/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs_keys.h - the columns of type nfs: nothing but a table, for nfs.c */
#pragma once

#include "schema/metric.h"

/*
 * The operations of a mount: first those of NFSv3 in the order of hpcperfstats, whose columns must
 * not move, then NULL, those of NFSv2 alone, and all of Linux's NFSv4 clients up to minor version
 * 2, those that kernels no longer have too (fs/nfs/nfs4xdr.c, nfs4_procedures[]). New ones go last.
 */
#define OPS(OP) \
	OP("ACCESS") OP("COMMIT") OP("CREATE") OP("FSINFO") OP("FSSTAT") OP("GETATTR") \
	OP("LINK") OP("LOOKUP") OP("MKDIR") OP("MKNOD") OP("PATHCONF") OP("READ") \
	OP("READDIR") OP("READDIRPLUS") OP("READLINK") OP("REMOVE") OP("RENAME") OP("RMDIR") \
	OP("SETATTR") OP("SYMLINK") OP("WRITE") \
	OP("NULL") OP("ROOT") OP("WRITECACHE") \
	OP("OPEN") OP("OPEN_CONFIRM") OP("OPEN_NOATTR") OP("OPEN_DOWNGRADE") OP("CLOSE") \
	OP("RENEW") OP("SETCLIENTID") OP("SETCLIENTID_CONFIRM") OP("LOCK") OP("LOCKT") \
	OP("LOCKU") OP("LOOKUP_ROOT") OP("STATFS") OP("SERVER_CAPS") OP("DELEGRETURN") \
	OP("GETACL") OP("SETACL") OP("FS_LOCATIONS") OP("RELEASE_LOCKOWNER") OP("SECINFO") \
	OP("FSID_PRESENT") OP("EXCHANGE_ID") OP("CREATE_SESSION") OP("DESTROY_SESSION") \
	OP("SEQUENCE") OP("GET_LEASE_TIME") OP("RECLAIM_COMPLETE") OP("LAYOUTGET") \
	OP("GETDEVICEINFO") OP("LAYOUTCOMMIT") OP("LAYOUTRETURN") OP("SECINFO_NO_NAME") \
	OP("TEST_STATEID") OP("FREE_STATEID") OP("GETDEVICELIST") OP("BIND_CONN_TO_SESSION") \
	OP("DESTROY_CLIENTID") OP("SEEK") OP("ALLOCATE") OP("DEALLOCATE") OP("LAYOUTSTATS") \
	OP("CLONE") OP("COPY") OP("OFFLOAD_CANCEL") OP("OFFLOAD_STATUS") OP("COPY_NOTIFY") \
	OP("LOOKUPP") OP("LAYOUTERROR") OP("GETXATTR") OP("SETXATTR") OP("LISTXATTRS") \
	OP("REMOVEXATTR") OP("READ_PLUS") OP("ZERO_RANGE")

/* In the order of an operation's line (net/sunrpc/stats.c, _print_rpc_iostats()). */
#define OP_KEYS(op) \
	{ op "_ops",        COUNTER, "",   op ": requests"                            }, \
	{ op "_ntrans",     COUNTER, "",   op ": transmissions, repeated ones too"    }, \
	{ op "_timeouts",   COUNTER, "",   op ": major timeouts"                      }, \
	{ op "_bytes_sent", COUNTER, "B",  op ": bytes sent, with RPC headers"        }, \
	{ op "_bytes_recv", COUNTER, "B",  op ": bytes received, with RPC headers"    }, \
	{ op "_queue",      COUNTER, "ms", op ": time before requests were sent"      }, \
	{ op "_rtt",        COUNTER, "ms", op ": time between request and reply"      }, \
	{ op "_execute",    COUNTER, "ms", op ": time from call to end, queue and all" },

/* In the order of the lines events:, bytes: (fs/nfs/iostat.h, linux/nfs_iostat.h) and xprt:. */
static const struct metric nfs_metrics[] = {
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
	{ "extend_write",      COUNTER, "",  "files grown by writing behind their end"           },
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
	OPS(OP_KEYS)
};
