/* SPDX-License-Identifier: BSD-3-Clause */
/* llite.c - type llite: Lustre mounts */
#include "schema/type.h"
#include "schema/types/lustre.h"

/*
 * Keys are named as in lustre/llite/lproc_llite.c. read_bytes includes reads from the client's
 * cache; type osc has only the bytes that servers sent.
 */
static const struct metric metrics[] = {
	{ "read_bytes",         COUNTER, "B", "returned to readers, from the cache as well" },
	{ "write_bytes",        COUNTER, "B", "taken from writers"                          },
	{ "direct_read",        COUNTER, "B", "read past the cache"                         },
	{ "direct_write",       COUNTER, "B", "written past the cache"                      },
	{ "osc_read",           COUNTER, "B", "read from object storage servers"            },
	{ "osc_write",          COUNTER, "B", "written to object storage servers"           },
	{ "dirty_pages_hits",   COUNTER, "",  "writes to a page that was dirty"             },
	{ "dirty_pages_misses", COUNTER, "",  "writes to a page that was not"               },
	{ "ioctl",              COUNTER, "",  "ioctl calls"                                 },
	{ "open",               COUNTER, "",  "files opened"                                },
	{ "close",              COUNTER, "",  "files closed"                                },
	{ "mmap",               COUNTER, "",  "files mapped"                                },
	{ "seek",               COUNTER, "",  "seeks"                                       },
	{ "fsync",              COUNTER, "",  "files synchronised"                          },
	{ "setattr",            COUNTER, "",  "attributes set"                              },
	{ "truncate",           COUNTER, "",  "truncations"                                 },
	{ "flock",              COUNTER, "",  "file locks"                                  },
	{ "getattr",            COUNTER, "",  "attributes asked for"                        },
	{ "statfs",             COUNTER, "",  "statfs calls"                                },
	{ "alloc_inode",        COUNTER, "",  "inodes allocated in memory"                  },
	{ "setxattr",           COUNTER, "",  "extended attributes set"                     },
	{ "getxattr",           COUNTER, "",  "extended attributes asked for"               },
	{ "listxattr",          COUNTER, "",  "extended attributes listed"                  },
	{ "removexattr",        COUNTER, "",  "extended attributes removed"                 },
	{ "inode_permission",   COUNTER, "",  "permission checks"                           },
	{ "readdir",            COUNTER, "",  "directory reads"                             },
	{ "create",             COUNTER, "",  "files created"                               },
	{ "lookup",             COUNTER, "",  "names looked up"                             },
	{ "link",               COUNTER, "",  "hard links made"                             },
	{ "unlink",             COUNTER, "",  "names removed"                               },
	{ "symlink",            COUNTER, "",  "symbolic links made"                         },
	{ "mkdir",              COUNTER, "",  "directories made"                            },
	{ "rmdir",              COUNTER, "",  "directories removed"                         },
	{ "mknod",              COUNTER, "",  "device nodes and FIFOs made"                 },
	{ "rename",             COUNTER, "",  "names changed"                               },
	{ "read",               COUNTER, "",  "reads (2.13 and later)"                      },
	{ "write",              COUNTER, "",  "writes (2.13 and later)"                     },
	{ "brw_read",           COUNTER, "",  "bulk reads of pages (up to 2.12)"            },
	{ "getxattr_hits",      COUNTER, "",  "extended attributes found in the cache"      },
	{ "page_fault",         COUNTER, "",  "faults on mapped pages"                      },
	{ "page_mkwrite",       COUNTER, "",  "mapped pages that became writable"           },
	{ "brw_write",          COUNTER, "",  "bulk writes of pages (up to 2.13)"           },
	{ "fallocate",          COUNTER, "",  "space reserved (2.14 and later)"             },
};

const struct type llite_type = {
	.name    = "llite",
	.about   = "Lustre mounts",
	.source  = LUSTRE_SOURCE("llite/MOUNT"),
	.device  = "file system and address of the mount's superblock",
	METRICS(metrics),
};
