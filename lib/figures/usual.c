/* SPDX-License-Identifier: BSD-3-Clause */
/* usual.c - contents and order of the default page of plots, and of a job's summary */
#include "figures/usual.h"

#include "base/base.h"

/*
 * The figures of a job's summary, most important first: if its line has no room for all figures,
 * the last figures are left out. nodometer-end(1) explains each name.
 */
const char *const summary_names[] = {
	"cpu_user", "cpu_sys", "mem_peak", "job_cpu", "job_mem_peak", "oom_kills", "energy",
	"gpu_energy", "gpu_busy", "fs_read", "fs_written", "disk_read", "disk_written",
	"node_energy", "ib_rx", "ib_tx", "net_rx", "net_tx", "swapped_in", "swapped_out",
};

const size_t n_summary_names = ARRAY_SIZE(summary_names);

#define DERIVED .derived =
#define FABRIC .prefer = { "ib_ext", "ib_sw", "ib", "opa" }

/* Panels of the default page, in order, two per row. */
const struct usual_panel usual_panels[] = {
	{ "CPU, user"              },
	{ "CPU, system"            },
	{ "CPU, waiting for disks" },
	{ "Load"                   },
	{ "Memory used"            },
	{ "Memory in programs"     },
	{ "Job itself, CPU time", "CPUs" },
	{ "Job itself, memory"     },
	{ "Job itself, read"       },
	{ "Job itself, written"    },
	{ "GPUs busy", "GPUs"      },
	{ "GPU memory"             },
	{ "Cycles per instruction", DERIVED "cpi" },
	{ "GFLOP/s, 64 bit", DERIVED "gflops64" },
	{ "GFLOP/s, 32 bit", DERIVED "gflops32" },
	{ "GFLOP/s", DERIVED "gflops" },
	{ "Memory read and written", DERIVED "memory" },
	{ "HBM read and written", DERIVED "hbm" },
	{ "Network received"       },
	{ "Network sent"           },
	{ "Fabric received", FABRIC },
	{ "Fabric sent", FABRIC    },
	{ "Lustre, read"           },
	{ "Lustre, written"        },
	{ "Lustre metadata", DERIVED "metadata" },
	{ "Lustre, wait per metadata request", DERIVED "mdc_wait" },
	{ "Lustre, wait per data request", DERIVED "osc_wait" },
	{ "NFS, read"              },
	{ "NFS, written"           },
	{ "Disks, read"            },
	{ "Disks, written"         },
	{ "TCP segments sent again" },
	{ "TCP held by congestion" },
	{ "Power, whole node"      },
	{ "Power, BMC", "W"        },
	{ "Power, ACPI", "W"       },
	{ "Power, packages"        },
	{ "Power, memory"          },
	{ "Power, GPUs"            },
	{ "XRootD, opens"          },
	{ "XRootD, open files"     },
	{ "XRootD, read"           },
	{ "XRootD, written"        },
	{ "XRootD cache, hits"     },
	{ "XRootD cache, no hits"  },
	{ "XRootD, copies"         },
	{ "XRootD, connections"    },
	{ "XRootD, threads"        },
	{ "XRootD, received"       },
	{ "XRootD, sent"           },
	{ "XRootD, space used"     },
};

const size_t n_usual_panels = ARRAY_SIZE(usual_panels);
