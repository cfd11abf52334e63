/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mapping.c - table of the record keys from which each item of OpenVMS MONITOR is computed
 *
 * nodometer-monitor(1) shows the same table. If several rows name one item, their values are added.
 * An item is absent if no row names the item, or if this node lacks the types in the item's rows.
 */
#include "openvms/mapping.h"

#include "base/base.h"

#define ONCE   MAP_ONCE
#define EACH   MAP_EACH
#define LESS   MAP_LESS
#define KEPT   MAP_KEPT
#define QUEUE  MAP_QUEUE
#define PAGES  MAP_PAGES
#define STATE  MAP_STATE
#define OF     MAP_OF

const struct mapping mappings[] = {
	{ VMS_PROCESSES, "PRI",      "process", "priority",  EACH },
	{ VMS_PROCESSES, "GPGCNT",   "process", "shared",    EACH },
	{ VMS_PROCESSES, "PPGCNT",   "process", "rss",       EACH },
	{ VMS_PROCESSES, "PPGCNT",   "process", "shared",    LESS },
	{ VMS_PROCESSES, "DIOCNT",   "process_io", "read_bytes",  EACH, 4096 },
	{ VMS_PROCESSES, "DIOCNT",   "process_io", "write_bytes", EACH, 4096 },
	{ VMS_PROCESSES, "PAGEFLTS", "process", "faults",    EACH },
	{ VMS_PROCESSES, "CPUTIM",   "process", "cpu",       EACH },
	{ VMS_PROCESSES, "BIOCNT",   "process_io", "syscr",  EACH },
	{ VMS_PROCESSES, "BIOCNT",   "process_io", "syscw",  EACH },

	{ VMS_STATES, "MWAIT", "process", "state", STATE },
	{ VMS_STATES, "LEF",   "process", "state", STATE },
	{ VMS_STATES, "LEFO",  "process", "state", STATE },
	{ VMS_STATES, "HIB",   "process", "state", STATE },
	{ VMS_STATES, "HIBO",  "process", "state", STATE },
	{ VMS_STATES, "SUSP",  "process", "state", STATE },
	{ VMS_STATES, "SUSPO", "process", "state", STATE },
	{ VMS_STATES, "COM",   "process", "state", STATE },
	{ VMS_STATES, "COMO",  "process", "state", STATE },
	{ VMS_STATES, "CUR",   "process", "state", STATE },

	{ VMS_MODES, "INTER",  "cpu", "irq",     EACH },
	{ VMS_MODES, "INTER",  "cpu", "softirq", EACH },
	{ VMS_MODES, "MPSYNC", "cpu_virt", "steal", KEPT },
	{ VMS_MODES, "KERNEL", "cpu", "system",  EACH },
	{ VMS_MODES, "SUPER",  "cpu", "nice",    EACH },
	{ VMS_MODES, "SUPER",  "cpu_virt", "guest_nice", LESS },
	{ VMS_MODES, "USER",   "cpu", "user",    EACH },
	{ VMS_MODES, "USER",   "cpu_virt", "guest", LESS },
	{ VMS_MODES, "COMPAT", "cpu_virt", "guest", EACH },
	{ VMS_MODES, "COMPAT", "cpu_virt", "guest_nice", EACH },
	{ VMS_MODES, "IDLE",   "cpu", "idle",    KEPT },
	{ VMS_MODES, "IDLE",   "cpu", "iowait",  KEPT },

	{ VMS_PAGE, "FAULTS",  "vm", "pgfault"    },
	{ VMS_PAGE, "PREADS",  "vm", "pgpgin",    PAGES },
	{ VMS_PAGE, "PREADIO", "vm", "pgmajfault" },
	{ VMS_PAGE, "PWRITES", "vm", "pgpgout",   PAGES },
	{ VMS_PAGE, "FRLIST",  "mem", "MemFree",  PAGES },
	{ VMS_PAGE, "MODLIST", "mem", "Dirty",    PAGES },
	{ VMS_PAGE, "MODLIST", "mem", "Writeback", PAGES },

	{ VMS_IO, "DIRIO",   "block", "rd_ios",     ONCE },
	{ VMS_IO, "DIRIO",   "block", "wr_ios",     ONCE },
	{ VMS_IO, "BUFIO",   "net", "rx_packets",   ONCE },
	{ VMS_IO, "BUFIO",   "net", "tx_packets",   ONCE },
	{ VMS_IO, "FAULTS",  "vm", "pgfault"        },
	{ VMS_IO, "PREADS",  "vm", "pgpgin",        PAGES },
	{ VMS_IO, "PREADIO", "vm", "pgmajfault"     },
	{ VMS_IO, "PWRITES", "vm", "pgpgout",       PAGES },
	{ VMS_IO, "FRLIST",  "mem", "MemFree",      PAGES },
	{ VMS_IO, "MODLIST", "mem", "Dirty",        PAGES },
	{ VMS_IO, "MODLIST", "mem", "Writeback",    PAGES },

	{ VMS_FCP, "FCPCREATE", "llite", "create" },
	{ VMS_FCP, "FCPREAD",   "llite", "read"   },
	{ VMS_FCP, "FCPWRITE",  "llite", "write"  },
	{ VMS_FCP, "ACCESS",    "llite", "lookup" },
	{ VMS_FCP, "OPENS",     "llite", "open"   },
	{ VMS_FCP, "FCPERASE",  "llite", "unlink" },
	{ VMS_FCP, "FCPCREATE", "nfs", "CREATE_ops", ONCE },
	{ VMS_FCP, "FCPREAD",   "nfs", "READ_ops",   ONCE },
	{ VMS_FCP, "FCPWRITE",  "nfs", "WRITE_ops",  ONCE },
	{ VMS_FCP, "ACCESS",    "nfs", "vfs_lookup", ONCE },
	{ VMS_FCP, "OPENS",     "nfs", "vfs_open",   ONCE },
	{ VMS_FCP, "FCPERASE",  "nfs", "REMOVE_ops", ONCE },
	{ VMS_FCP, "FCPCREATE", "xfs", "create"      },
	{ VMS_FCP, "FCPREAD",   "xfs", "read_calls"  },
	{ VMS_FCP, "FCPWRITE",  "xfs", "write_calls" },
	{ VMS_FCP, "ACCESS",    "xfs", "lookup"      },
	{ VMS_FCP, "FCPERASE",  "xfs", "remove"      },

	{ VMS_LOCK, "ENQNEW",   "osc", "ldlm_extent_enqueue"  },
	{ VMS_LOCK, "ENQNEW",   "osc", "ldlm_glimpse_enqueue" },
	{ VMS_LOCK, "ENQNEW",   "mdc", "ldlm_ibits_enqueue"   },
	{ VMS_LOCK, "ENQNEW",   "mdc", "ldlm_glimpse_enqueue" },
	{ VMS_LOCK, "DEQ",      "osc", "ldlm_cancel" },
	{ VMS_LOCK, "DEQ",      "mdc", "ldlm_cancel" },
	{ VMS_LOCK, "BLKAST",   "ldlm_cbd", "ldlm_bl_callback" },
	{ VMS_LOCK, "NUMLOCKS", "ldlm", "lock_count"     },
	{ VMS_LOCK, "NUMRES",   "ldlm", "resource_count" },
	{ VMS_LOCK, "NUMLOCKS", "locks", "held"  },
	{ VMS_LOCK, "NUMRES",   "locks", "files" },

	{ VMS_DECNET, "ARRLOCPK", "ip", "in_delivers"   },
	{ VMS_DECNET, "DEPLOCPK", "ip", "out_requests"  },
	{ VMS_DECNET, "ARRTRAPK", "ip", "forwarded"     },
	{ VMS_DECNET, "TRCNGLOS", "ip", "out_discards"  },
	{ VMS_DECNET, "RCVBUFFL", "ip", "rcvbuf_errors" },

	{ VMS_FILE_SYSTEM_CACHE, "FILHDR_HIT",   "xfs", "ig_found"    },
	{ VMS_FILE_SYSTEM_CACHE, "FILHDR_TRIES", "xfs", "ig_attempts" },
	{ VMS_FILE_SYSTEM_CACHE, "EXT_HIT",      "ext4", "es_hits"    },
	{ VMS_FILE_SYSTEM_CACHE, "EXT_TRIES",    "ext4", "es_hits"    },
	{ VMS_FILE_SYSTEM_CACHE, "EXT_TRIES",    "ext4", "es_misses"  },

	{ VMS_DISK, "OPCNT",  "block", "rd_ios",        EACH },
	{ VMS_DISK, "OPCNT",  "block", "wr_ios",        EACH },
	{ VMS_DISK, "QCOUNT", "block", "time_in_queue", QUEUE, 1000 },

	{ VMS_DLOCK, "ENQNEWOUT", "osc", "ldlm_extent_enqueue"  },
	{ VMS_DLOCK, "ENQNEWOUT", "osc", "ldlm_glimpse_enqueue" },
	{ VMS_DLOCK, "ENQNEWOUT", "mdc", "ldlm_ibits_enqueue"   },
	{ VMS_DLOCK, "ENQNEWOUT", "mdc", "ldlm_glimpse_enqueue" },
	{ VMS_DLOCK, "DEQOUT",    "osc", "ldlm_cancel" },
	{ VMS_DLOCK, "DEQOUT",    "mdc", "ldlm_cancel" },
	{ VMS_DLOCK, "BLKIN",     "ldlm_cbd", "ldlm_bl_callback" },

	{ VMS_SCS, "DGSENT",   "ib", "port_xmit_packets", EACH },
	{ VMS_SCS, "DGRCVD",   "ib", "port_rcv_packets",  EACH },
	{ VMS_SCS, "DGDISCARD", "ib", "port_xmit_discards", EACH },
	{ VMS_SCS, "KBYTSENT", "ib", "port_xmit_data",    EACH, 1024 },
	{ VMS_SCS, "KBYTREQD", "ib", "port_rcv_data",     EACH, 1024 },
	{ VMS_SCS, "DGSENT",   "opa", "PortXmitPkts",     EACH },
	{ VMS_SCS, "DGRCVD",   "opa", "PortRcvPkts",      EACH },
	{ VMS_SCS, "KBYTSENT", "opa", "PortXmitData",     EACH, 128 },
	{ VMS_SCS, "KBYTREQD", "opa", "PortRcvData",      EACH, 128 },

	{ VMS_SYSTEM, "BUSY",    "MODES", "busy",    OF },
	{ VMS_SYSTEM, "OTHSTAT", "STATES", "others", OF },
	{ VMS_SYSTEM, "PROCS",   "STATES", "all",    OF },
	{ VMS_SYSTEM, "FAULTS",  "vm", "pgfault"    },
	{ VMS_SYSTEM, "PREADIO", "vm", "pgmajfault" },
	{ VMS_SYSTEM, "FRLIST",  "mem", "MemFree",  PAGES },
	{ VMS_SYSTEM, "MODLIST", "mem", "Dirty",    PAGES },
	{ VMS_SYSTEM, "MODLIST", "mem", "Writeback", PAGES },
	{ VMS_SYSTEM, "DIRIO",   "block", "rd_ios", ONCE },
	{ VMS_SYSTEM, "DIRIO",   "block", "wr_ios", ONCE },
	{ VMS_SYSTEM, "BUFIO",   "net", "rx_packets", ONCE },
	{ VMS_SYSTEM, "BUFIO",   "net", "tx_packets", ONCE },

	{ VMS_MSCP_SERVER, "REQUEST", "nfsd", "calls" },
	{ VMS_MSCP_SERVER, "READ",    "nfsd", "read"  },
	{ VMS_MSCP_SERVER, "WRITE",   "nfsd", "write" },

	{ VMS_TRANSACTION, "STARTS",  "jbd2", "transactions" },
	{ VMS_TRANSACTION, "COMMITS", "jbd2", "transactions" },
	{ VMS_TRANSACTION, "STARTS",  "xfs", "trans_sync"  },
	{ VMS_TRANSACTION, "STARTS",  "xfs", "trans_async" },
	{ VMS_TRANSACTION, "STARTS",  "xfs", "trans_empty" },
	{ VMS_TRANSACTION, "COMMITS", "xfs", "trans_sync"  },
	{ VMS_TRANSACTION, "COMMITS", "xfs", "trans_async" },
};
const size_t n_mappings = ARRAY_SIZE(mappings);

const struct mapping_component mapping_components[] = {
	{ VMS_PROCESSES, "process", NULL },
	{ VMS_MODES,     "cpu",     NULL },
	{ VMS_DISK,      "block",   NULL },
	{ VMS_SCS,       "ib",      "opa" },
};
const size_t n_mapping_components = ARRAY_SIZE(mapping_components);

/* SYSTEM is computed from STATES and MODES. STATES needs the number of CPUs, from MODES. */
uint32_t mapping_add_sources(uint32_t classes)
{
	const uint32_t sources = 1u << VMS_STATES | 1u << VMS_MODES;
	return classes & (1u << VMS_STATES | 1u << VMS_SYSTEM) ? classes | sources : classes;
}

bool mapping_wants(size_t number, const char *type)
{
	for (size_t i = 0; i < n_mappings; i++)
		if (mappings[i].class == number && str_eq(str_of(mappings[i].type), str_of(type)))
			return true;
	return false;
}
