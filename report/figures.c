/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.c - the figures of a job report, in the order in which it shows them */
#include "report/figures.h"

#include <stdio.h>
#include <strings.h>
#include "base/base.h"

#define BYTES     .unit = UNIT_BYTES
#define SECONDS   .unit = UNIT_SECONDS
#define SHARE     .how = FIGURE_SHARE, SECONDS
#define PEAK      .how = FIGURE_PEAK
#define MEAN      .how = FIGURE_MEAN
#define ADDED     .how = FIGURE_ADDED
#define NO_LO     .not_device = "lo"

/*
 * Lustre's llite overreports read_bytes (seed, "Stats Data"): what the OSCs moved stands beside it.
 * Counters of ib are 32 bits wide and stop at the end of their scale (IBTA 16.1.3.5); those of
 * ib_sw live in the switch. Memory "in programs" is what hpcperfstats calls mem_hwm.
 */
const struct figure figures[] = {
	{ "CPU", "user",                "cpu", "user",    SHARE },
	{ "CPU", "nice",                "cpu", "nice",    SHARE },
	{ "CPU", "system",              "cpu", "system",  SHARE },
	{ "CPU", "irq",                 "cpu", "irq",     SHARE },
	{ "CPU", "softirq",             "cpu", "softirq", SHARE },
	{ "CPU", "iowait",              "cpu", "iowait",  SHARE },
	{ "CPU", "idle",                "cpu", "idle",    SHARE },

	{ "Load", "load, mean",         "ps", "load_1",    MEAN, .scale = .01, .id = "load.mean" },
	{ "Load", "load, peak",         "ps", "load_1",    PEAK, .scale = .01, .id = "load.peak" },
	{ "Load", "context switches",   "ps", "ctxt"      },
	{ "Load", "processes begun",    "ps", "processes" },

	{ "Memory", "in programs, peak", "mem", "MemUsed", { "FilePages", "Slab" }, PEAK, BYTES,
	  .id = "mem.hwm" },
	{ "Memory", "MemUsed, peak",    "mem", "MemUsed",  PEAK, BYTES },
	{ "Memory", "tmpfs, peak",      "tmpfs", "bytes_used",  PEAK, BYTES },
	{ "Memory", "SysV shm, peak",   "sysv_shm", "mem_used", PEAK, BYTES },

	{ "Paging", "page faults",      "vm", "pgfault"    },
	{ "Paging", "major faults",     "vm", "pgmajfault" },
	{ "Paging", "pages swapped in", "vm", "pswpin"     },
	{ "Paging", "pages swapped out", "vm", "pswpout"   },

	{ "Disk", "read",               "block", "rd_sectors", BYTES, .scale = 512 },
	{ "Disk", "written",            "block", "wr_sectors", BYTES, .scale = 512 },
	{ "Disk", "reads",              "block", "rd_ios" },
	{ "Disk", "writes",             "block", "wr_ios" },

	{ "Network", "received",        "net", "rx_bytes",   BYTES, NO_LO },
	{ "Network", "sent",            "net", "tx_bytes",   BYTES, NO_LO },
	{ "Network", "packets received", "net", "rx_packets", NO_LO },
	{ "Network", "packets sent",    "net", "tx_packets", NO_LO },

	{ "Lustre", "llite read",       "llite", "read_bytes",  BYTES },
	{ "Lustre", "llite written",    "llite", "write_bytes", BYTES },
	{ "Lustre", "OSC read (llite)", "llite", "osc_read",    BYTES },
	{ "Lustre", "OSC written (llite)", "llite", "osc_write", BYTES },
	{ "Lustre", "opens",            "llite", "open"         },
	{ "Lustre", "OSC read",         "osc", "read_bytes",    BYTES },
	{ "Lustre", "OSC written",      "osc", "write_bytes",   BYTES },
	{ "Lustre", "MDC requests",     "mdc", "reqs"           },
	{ "Lustre", "LNet received",    "lnet", "rx_bytes",     BYTES },
	{ "Lustre", "LNet sent",        "lnet", "tx_bytes",     BYTES },

	{ "Fabric", "IB received",      "ib", "port_rcv_data",  BYTES, .scale = 4, .saturates = true },
	{ "Fabric", "IB sent",          "ib", "port_xmit_data", BYTES, .scale = 4, .saturates = true },
	{ "Fabric", "IB ext received",  "ib_ext", "port_rcv_data",  BYTES, .scale = 4 },
	{ "Fabric", "IB ext sent",      "ib_ext", "port_xmit_data", BYTES, .scale = 4 },
	{ "Fabric", "IB switch received", "ib_sw", "rx_bytes",  BYTES, .elsewhere = true },
	{ "Fabric", "IB switch sent",   "ib_sw", "tx_bytes",    BYTES, .elsewhere = true },
	{ "Fabric", "OPA received",     "opa", "PortRcvData",   BYTES, .scale = 8 },
	{ "Fabric", "OPA sent",         "opa", "PortXmitData",  BYTES, .scale = 8 },

	{ "NFS", "read from servers",   "nfs", "server_read",   BYTES },
	{ "NFS", "written to servers",  "nfs", "server_write",  BYTES },

	{ "nodometer itself", "CPU time", "nodometer", "cpu",   ADDED, SECONDS, .whole_only = true },
	{ "nodometer itself", "written", "nodometer", "bytes",  ADDED, BYTES,   .whole_only = true },
	{ "nodometer itself", "errors", "nodometer", "errors",  ADDED, .whole_only = true },
	{ "nodometer itself", "ticks missed", "nodometer", "stalls", ADDED, .whole_only = true },
};

const size_t n_figures = ARRAY_SIZE(figures);

bool figures_of_type(struct str type, size_t *first, size_t *end)
{
	size_t i = 0, n;

	str_take_prefix(&type, STR("host_"));
	while (i < n_figures && !str_eq(type, str_of(figures[i].type)))
		i++;
	for (n = i; n < n_figures && str_eq(type, str_of(figures[n].type)); n++)
		;
	*first = i;
	*end = n;
	return i < n;
}

double figure_scale(const struct figure *f, const char *unit_name, unsigned scale)
{
	static const struct {
		enum figure_unit unit;
		const char *name;
		double scale;
	} names[] = {
		{ UNIT_BYTES,   "B",  1        },
		{ UNIT_BYTES,   "KB", 1024     },
		{ UNIT_BYTES,   "MB", 1 << 20  },
		{ UNIT_SECONDS, "s",  1        },
		{ UNIT_SECONDS, "cs", 1e-2     },
		{ UNIT_SECONDS, "ms", 1e-3     },
		{ UNIT_SECONDS, "us", 1e-6     },
		{ UNIT_SECONDS, "ns", 1e-9     },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].unit == f->unit && strcasecmp(names[i].name, unit_name) == 0)
			return names[i].scale * scale;
	return f->scale > 0 ? f->scale : 1;
}

struct figure_id figure_id(const struct figure *f)
{
	struct figure_id id;
	if (f->id)
		snprintf(id.s, sizeof(id.s), "%s", f->id);
	else
		snprintf(id.s, sizeof(id.s), "%s.%s", f->type, f->key);
	return id;
}
