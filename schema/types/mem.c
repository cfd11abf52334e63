/* SPDX-License-Identifier: BSD-3-Clause */
/* mem.c - type mem: memory by use */
#include "schema/type.h"

/*
 * The 17 keys of hpcperfstats, then the other values in a NUMA node's file "meminfo"
 * (node_read_meminfo() in drivers/base/node.c).
 */
static const struct metric metrics[] = {
	{ "MemTotal",        GAUGE, "KB", "all memory of the node"                             },
	{ "MemFree",         GAUGE, "KB", "used for nothing"                                   },
	{ "MemUsed",         GAUGE, "KB", "MemTotal - MemFree: page cache included"            },
	{ "Active",          GAUGE, "KB", "used lately"                                        },
	{ "Inactive",        GAUGE, "KB", "not used lately: reclaimed first"                   },
	{ "Dirty",           GAUGE, "KB", "waiting to be written to a file"                    },
	{ "Writeback",       GAUGE, "KB", "being written to a file"                            },
	{ "FilePages",       GAUGE, "KB", "page cache, shared memory and tmpfs included"       },
	{ "Mapped",          GAUGE, "KB", "of the page cache, mapped by processes"             },
	{ "AnonPages",       GAUGE, "KB", "stack and heap of processes"                        },
	{ "PageTables",      GAUGE, "KB", "page tables"                                        },
	{ "NFS_Unstable",    GAUGE, "KB", "sent to an NFS server, not committed (until 5.7)"   },
	{ "Bounce",          GAUGE, "KB", "bounce buffers of block devices"                    },
	{ "Slab",            GAUGE, "KB", "the kernel's own objects"                           },
	{ "AnonHugePages",   GAUGE, "KB", "of AnonPages, in transparent huge pages"            },
	{ "HugePages_Total", GAUGE, "",   "huge pages set aside, of the default size"          },
	{ "HugePages_Free",  GAUGE, "",   "huge pages that nobody uses"                        },

	{ "Active(anon)",    GAUGE, "KB", "of Active, not of files"                            },
	{ "Inactive(anon)",  GAUGE, "KB", "of Inactive, not of files"                          },
	{ "Active(file)",    GAUGE, "KB", "of Active, of files"                                },
	{ "Inactive(file)",  GAUGE, "KB", "of Inactive, of files"                              },
	{ "Unevictable",     GAUGE, "KB", "cannot be reclaimed: locked, ramfs"                 },
	{ "Mlocked",         GAUGE, "KB", "locked with mlock(2)"                               },
	{ "Shmem",           GAUGE, "KB", "shared memory and tmpfs"                            },
	{ "KernelStack",     GAUGE, "KB", "stacks of all threads in the kernel"                },
	{ "SecPageTables",   GAUGE, "KB", "page tables of virtual machines and IOMMUs"         },
	{ "WritebackTmp",    GAUGE, "KB", "being written by FUSE"                              },
	{ "KReclaimable",    GAUGE, "KB", "SReclaimable and other reclaimable kernel memory"   },
	{ "SReclaimable",    GAUGE, "KB", "of Slab, reclaimable: dentries, inodes"             },
	{ "SUnreclaim",      GAUGE, "KB", "of Slab, not reclaimable"                           },
	{ "SwapCached",      GAUGE, "KB", "in memory and in swap too"                          },
	{ "ShmemHugePages",  GAUGE, "KB", "of Shmem, in transparent huge pages"                },
	{ "ShmemPmdMapped",  GAUGE, "KB", "of ShmemHugePages, mapped whole by processes"       },
	{ "FileHugePages",   GAUGE, "KB", "of the page cache, in transparent huge pages"       },
	{ "FilePmdMapped",   GAUGE, "KB", "of FileHugePages, mapped whole by processes"        },
	{ "HugePages_Surp",  GAUGE, "",   "huge pages beyond the number set aside"             },
};

const struct type mem_type = {
	.name    = "mem",
	.about   = "memory by use",
	.source  = "/sys/devices/system/node/nodeN/meminfo, line KEY",
	.device  = "NUMA node",
	METRICS(metrics),
};
