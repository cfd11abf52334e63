/* SPDX-License-Identifier: BSD-3-Clause */
/* vm.c - type vm: paging and reclaim */
#include "schema/type.h"

/*
 * The keys of hpcperfstats. Newer kernels lack many of these names (mm/vmstat.c); the values of
 * their keys are then missing.
 */
static const struct metric metrics[] = {
	{ "nr_anon_transparent_hugepages", GAUGE, "", "transparent huge pages in use"           },
	{ "pgpgin",                    COUNTER, "KB", "read from block devices"                 },
	{ "pgpgout",                   COUNTER, "KB", "written to block devices"                },
	{ "pswpin",                    COUNTER, "",   "pages read from swap"                    },
	{ "pswpout",                   COUNTER, "",   "pages written to swap"                   },
	{ "pgalloc_normal",            COUNTER, "",   "pages allocated in zone normal"          },
	{ "pgfree",                    COUNTER, "",   "pages freed"                             },
	{ "pgactivate",                COUNTER, "",   "pages that became active"                },
	{ "pgdeactivate",              COUNTER, "",   "pages that became inactive"              },
	{ "pgfault",                   COUNTER, "",   "page faults, minor and major"            },
	{ "pgmajfault",                COUNTER, "",   "page faults that waited for a device"    },
	{ "pgrefill_normal",           COUNTER, "",   "active pages looked at (until 4.7)"      },
	{ "pgsteal_normal",            COUNTER, "",   "pages reclaimed (until 3.4)"             },
	{ "pgscan_kswapd_normal",      COUNTER, "",   "pages kswapd looked at (until 4.7)"      },
	{ "pgscan_direct_normal",      COUNTER, "",   "pages allocators looked at (until 4.7)"  },
	{ "pginodesteal",              COUNTER, "",   "page cache freed with its inode"         },
	{ "slabs_scanned",             COUNTER, "",   "kernel objects looked at to free them"   },
	{ "kswapd_steal",              COUNTER, "",   "pages reclaimed by kswapd (until 3.4)"   },
	{ "kswapd_inodesteal",         COUNTER, "",   "the same with their inode"               },
	{ "pageoutrun",                COUNTER, "",   "runs of kswapd"                          },
	{ "allocstall",                COUNTER, "",   "allocations that reclaimed (until 4.7)" },
	{ "pgrotated",                 COUNTER, "",   "written pages moved to be freed next"    },
	{ "thp_fault_alloc",           COUNTER, "",   "huge pages given at a page fault"        },
	{ "thp_fault_fallback",        COUNTER, "",   "page faults that got none"               },
	{ "thp_collapse_alloc",        COUNTER, "",   "huge pages made from small ones"         },
	{ "thp_collapse_alloc_failed", COUNTER, "",   "attempts at that without memory"         },
	{ "thp_split",                 COUNTER, "",   "huge pages split up (until 4.4)"         },
	{ "compact_stall",             COUNTER, "",   "allocations that moved other pages first" },
};

const struct type vm_type = {
	.name    = "vm",
	.about   = "paging and reclaim",
	.source  = "/proc/vmstat, line KEY",
	.device  = "the whole node",
	METRICS(metrics),
};
