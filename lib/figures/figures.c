/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.c - the table of the figures of a job report, in the order of the report */
#include "figures/figures.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/base.h"
#include "base/map.h"
#include "schema/foreign.h"

#define BYTES     .unit = UNIT_BYTES
#define SECONDS   .unit = UNIT_SECONDS
#define JOULES    .unit = UNIT_JOULES
#define SHARE     .how = FIGURE_SHARE, SECONDS
#define PEAK      .how = FIGURE_PEAK
#define MEAN      .how = FIGURE_MEAN
#define LIMIT     .how = FIGURE_LIMIT
#define ADDED     .how = FIGURE_ADDED
#define ONLY_LO   .only_device = "lo"
#define ONCE      .once = true
#define EACH      .each = true
#define WHOLE     .whole_only = true
#define AT_EDGE   .holds_at_edge = true
#define STOPS     .saturates = true
#define ELSEWHERE .counts_after_reboot = true
#define OWN       .job_row = JOB_ROW_OTHERS
#define OWN_TIME  .job_row = JOB_ROW_TIMES, SECONDS
#define FROM_0    .starts_at_zero = true
#define SUMMARY   .summary =
#define PANEL     .panel =
#define PACKET    .packet =
#define NOT_ON_PAGE NULL, NULL
#define QUANTITY  .quantity =

/*
 * read_bytes of type llite is too large (README of hpcperfstats' monitor, "Stats Data"), so the
 * report also shows the bytes that type osc counts. Counters of type ib are 32 bits wide and stop
 * at their largest value (IBTA, PortCounters); counters of type ib_sw are in the switch. The figure
 * "resident, peak" of type mem is mem_hwm in hpcperfstats. For the job itself, mem_peak is the
 * kernel's own high-water mark, and mem the largest value in a sample.
 */
const struct figure figures[] = {
	{ "Job itself", "CPU time",     "job", "cpu",      OWN_TIME,
	  SUMMARY "job_cpu", PANEL "Job itself, CPU time" },
	{ "Job itself", "user",         "job", "user",     OWN_TIME },
	{ "Job itself", "system",       "job", "system",  OWN_TIME },
	{ "Job itself", "waited for a CPU", "job", "cpu_wait", OWN_TIME },
	{ NOT_ON_PAGE, "job", "cpu_wait_of", OWN_TIME },
	{ "Job itself", "memory, peak", "job", "mem_peak", OWN, PEAK, BYTES,
	  AT_EDGE, SUMMARY "job_mem_peak" },
	{ "Job itself", "memory, largest", "job", "mem",   OWN, PEAK, BYTES,
	  PANEL "Job itself, memory" },
	{ "Job itself", "resident, peak", "job", "anon", OWN, PEAK, BYTES },
	{ "Job itself", "read",         "job", "rd_bytes", OWN, BYTES, PANEL "Job itself, read" },
	{ "Job itself", "written",      "job", "wr_bytes", OWN, BYTES,
	  PANEL "Job itself, written" },
	{ "Job itself", "killed for memory", "job", "oom_kill", OWN, SUMMARY "oom_kills" },
	{ NOT_ON_PAGE, "job", "mem_limit", OWN, LIMIT, BYTES },
	{ NOT_ON_PAGE, "job", "shmem", OWN, PEAK, BYTES },
	{ NOT_ON_PAGE, "job", "throttled", OWN_TIME },
	{ NOT_ON_PAGE, "job", "pids", OWN, PEAK },
	{ NOT_ON_PAGE, "job", "swap", OWN, PEAK, BYTES },
	{ NOT_ON_PAGE, "job", "pgfault", OWN },
	{ NOT_ON_PAGE, "job", "pgmajfault", OWN },
	{ NOT_ON_PAGE, "job", "rd_ios", OWN },
	{ NOT_ON_PAGE, "job", "wr_ios", OWN },

	{ "CPU", "user",                "cpu", "user",    SHARE,
	  SUMMARY "cpu_user", PANEL "CPU, user", QUANTITY Q_USER },
	{ "CPU", "nice",                "cpu", "nice",    SHARE,
	  SUMMARY "cpu_user", PANEL "CPU, user", QUANTITY Q_USER },
	{ "CPU", "system",              "cpu", "system",  SHARE,
	  SUMMARY "cpu_sys", PANEL "CPU, system", QUANTITY Q_SYSTEM },
	{ "CPU", "irq",                 "cpu", "irq",     SHARE,
	  SUMMARY "cpu_sys", PANEL "CPU, system", QUANTITY Q_SYSTEM },
	{ "CPU", "softirq",             "cpu", "softirq", SHARE,
	  SUMMARY "cpu_sys", PANEL "CPU, system", QUANTITY Q_SYSTEM },
	{ "CPU", "iowait",              "cpu", "iowait",  SHARE, PANEL "CPU, waiting for disks",
	  QUANTITY Q_IDLE },
	{ "CPU", "idle",                "cpu", "idle",    SHARE, QUANTITY Q_IDLE },
	{ NOT_ON_PAGE, "cpu_virt", "steal", SECONDS },

	{ "Load", "load, mean",         "ps", "load_1",    MEAN, .scale = .01, .id = "load.mean",
	  PANEL "Load" },
	{ "Load", "load, peak",         "ps", "load_1",    PEAK, .scale = .01, .id = "load.peak" },
	{ "Load", "context switches",   "ps", "ctxt"      },
	{ "Load", "processes begun",    "ps", "processes", PACKET "sched.jobs" },
	{ NOT_ON_PAGE, "ps", "nr_running", MEAN, .id = "ps.running" },
	/*
	 * In XRootD's packets, sched.inq is the number of jobs that wait for a thread of the
	 * server. A node has no such counter, so sched.inq is its number of runnable threads.
	 */
	{ NOT_ON_PAGE, "ps", "nr_running", PEAK, .id = "ps.running_peak", PACKET "sched.inq" },
	{ NOT_ON_PAGE, "ps", "nr_threads", PEAK, PACKET "sched.threads" },
	{ NOT_ON_PAGE, "ps", "nr_threads", { "nr_running" }, PEAK, PACKET "sched.idle" },
	{ NOT_ON_PAGE, "ps", "processes",  PACKET "sched.tcr" },
	{ NOT_ON_PAGE, "ps", "processes", { "nr_threads" }, PACKET "sched.tde" },

	{ "Memory", "resident, peak", "mem", "MemUsed", { "FilePages", "Slab" }, PEAK, BYTES,
	  .id = "mem.hwm", SUMMARY "mem_peak", PANEL "Memory in programs" },
	{ NOT_ON_PAGE, "mem", "MemTotal", PEAK, AT_EDGE, BYTES },
	{ "Memory", "MemUsed, peak",    "mem", "MemUsed",  PEAK, BYTES, PANEL "Memory used" },
	{ "Memory", "tmpfs, peak",      "tmpfs", "bytes_used",  PEAK, BYTES },
	{ "Memory", "SysV shm, peak",   "sysv_shm", "mem_used", PEAK, BYTES },

	{ "Paging", "page faults",      "vm", "pgfault"    },
	{ "Paging", "major faults",     "vm", "pgmajfault" },
	{ "Paging", "pages swapped in", "vm", "pswpin", SUMMARY "swapped_in" },
	{ "Paging", "pages swapped out", "vm", "pswpout", SUMMARY "swapped_out" },
	{ NOT_ON_PAGE, "vm", "thp_fault_alloc" },
	{ NOT_ON_PAGE, "vm", "compact_stall" },

	/*
	 * Time for which some task, or all tasks, of the node waited. A rate is a fraction of the
	 * time.
	 */
	{ "Stalled", "some task, CPU", "psi", "total", SECONDS,
	  .id = "psi.cpu-some", .only_device = "cpu-some" },
	{ "Stalled", "some task, memory", "psi", "total", SECONDS,
	  .id = "psi.memory-some", .only_device = "memory-some" },
	{ "Stalled", "all tasks, memory", "psi", "total", SECONDS,
	  .id = "psi.memory-full", .only_device = "memory-full" },
	{ "Stalled", "some task, I/O", "psi", "total", SECONDS,
	  .id = "psi.io-some", .only_device = "io-some" },
	{ "Stalled", "all tasks, I/O", "psi", "total", SECONDS,
	  .id = "psi.io-full", .only_device = "io-full" },

#include "figures/pmu_rows.inc"

	/* Generic hardware counters, for processor models that have no own record type. */
	{ "Counters", "instructions",     "perf_hw", "instructions",
	  QUANTITY Q_INSTRUCTIONS },
	{ "Counters", "cycles",           "perf_hw", "cycles",
	  QUANTITY Q_CYCLES },
	{ "Counters", "cache references", "perf_hw", "cache_references" },
	{ "Counters", "cache misses",     "perf_hw", "cache_misses" },
	{ "Counters", "branches",         "perf_hw", "branches" },
	{ "Counters", "branch misses",    "perf_hw", "branch_misses" },
	{ NOT_ON_PAGE, "perf_hw", "time_enabled", SECONDS, QUANTITY Q_ENABLED },
	{ NOT_ON_PAGE, "perf_hw", "time_running", SECONDS, QUANTITY Q_RUNNING },

	{ NOT_ON_PAGE, "numa", "local_node", QUANTITY Q_PAGES_LOCAL },
	{ NOT_ON_PAGE, "numa", "other_node", QUANTITY Q_PAGES_REMOTE },

	{ "Energy", "whole node", "pm_counters", "energy",   JOULES,
	  SUMMARY "node_energy", PANEL "Power, whole node", QUANTITY Q_JOULES_NODE },
	{ "Energy", "processors", "pm_counters", "cpu_energy",    JOULES },
	{ "Energy", "memory",     "pm_counters", "memory_energy", JOULES },
	{ "Energy", "accelerators", "pm_accel", "energy",    JOULES },
	{ NOT_ON_PAGE, "ipmi_dcmi", "power", MEAN, PANEL "Power, BMC" },
	{ NOT_ON_PAGE, "hwmon_power", "input", MEAN, .scale = 1e-6, PANEL "Power, ACPI",
	  .only_device = "*/power_meter/power[0-9]" },
	{ "Energy", "packages", "intel_rapl", "pkg_energy",  JOULES,
	  SUMMARY "energy", PANEL "Power, packages", QUANTITY Q_JOULES_PACKAGE },
	{ "Energy", "memory",   "intel_rapl", "dram_energy", JOULES,
	  SUMMARY "energy", PANEL "Power, memory", QUANTITY Q_JOULES_MEMORY },
	{ "Energy", "packages", "amd64_rapl", "pkg_energy",  JOULES,
	  SUMMARY "energy", PANEL "Power, packages", QUANTITY Q_JOULES_PACKAGE },

	/* Busy time is summed over all GPUs: 1.00 means one GPU that was always busy. */
	{ "GPU", "energy",              "nvidia_gpu", "energy", JOULES,
	  SUMMARY "gpu_energy", PANEL "Power, GPUs", QUANTITY Q_JOULES_GPU },
	{ "GPU", "busy GPUs, mean",     "nvidia_gpu", "utilization", MEAN, .scale = .01, EACH,
	  SUMMARY "gpu_busy", PANEL "GPUs busy" },
	{ "GPU", "busy GPUs, mean",     "nvidia_gpu", "gpu_util",    MEAN, .scale = .01, EACH,
	  PANEL "GPUs busy" },
	{ "GPU", "held by power cap",   "nvidia_gpu", "power_violation",   SECONDS },
	{ "GPU", "held by heat",        "nvidia_gpu", "thermal_violation", SECONDS },
	{ "GPU", "NVLink sent",         "nvidia_gpu", "nvlink_tx", BYTES },
	{ "GPU", "NVLink received",     "nvidia_gpu", "nvlink_rx", BYTES },
	{ "GPU", "uncorrected errors",  "nvidia_gpu", "ecc_uncorrected" },
	{ NOT_ON_PAGE, "nvidia_gpu", "memtotal", PEAK, BYTES },
	{ "GPU memory", "used, peak",   "nvidia_gpu", "memused",         PEAK, BYTES,
	  PANEL "GPU memory" },
	{ "GPU memory", "used, peak",   "nvidia_gpu", "gpu_mem_used_mb", PEAK, BYTES,
	  PANEL "GPU memory" },
	{ NOT_ON_PAGE, "nvidia_gpm", "elapsed",     SECONDS, QUANTITY Q_GPM_TIME },
	{ NOT_ON_PAGE, "nvidia_gpm", "sm",          SECONDS, QUANTITY Q_GPM_SM },
	{ NOT_ON_PAGE, "nvidia_gpm", "occupancy",   SECONDS, QUANTITY Q_GPM_OCCUPANCY },
	{ NOT_ON_PAGE, "nvidia_gpm", "integer",     SECONDS, QUANTITY Q_GPM_INTEGER },
	{ NOT_ON_PAGE, "nvidia_gpm", "tensor",      SECONDS, QUANTITY Q_GPM_TENSOR },
	{ NOT_ON_PAGE, "nvidia_gpm", "tensor_dfma", SECONDS, QUANTITY Q_GPM_DFMA },
	{ NOT_ON_PAGE, "nvidia_gpm", "tensor_hmma", SECONDS, QUANTITY Q_GPM_HMMA },
	{ NOT_ON_PAGE, "nvidia_gpm", "tensor_imma", SECONDS, QUANTITY Q_GPM_IMMA },
	{ NOT_ON_PAGE, "nvidia_gpm", "fp64",        SECONDS, QUANTITY Q_GPM_FP64 },
	{ NOT_ON_PAGE, "nvidia_gpm", "fp32",        SECONDS, QUANTITY Q_GPM_FP32 },
	{ NOT_ON_PAGE, "nvidia_gpm", "fp16",        SECONDS, QUANTITY Q_GPM_FP16 },
	{ NOT_ON_PAGE, "nvidia_gpm", "dram",        SECONDS, QUANTITY Q_GPM_DRAM },
	{ NOT_ON_PAGE, "nvidia_gpm", "dram_bytes",  BYTES, QUANTITY Q_GPM_DRAM_BYTES },
	{ "GPU", "PCIe sent",            "nvidia_gpm", "pcie_tx", BYTES,
	  QUANTITY Q_GPM_PCIE_BYTES },
	{ "GPU", "PCIe received",        "nvidia_gpm", "pcie_rx", BYTES,
	  QUANTITY Q_GPM_PCIE_BYTES },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "elapsed",     SECONDS, QUANTITY Q_GPM_TIME },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "sm",          SECONDS, QUANTITY Q_GPM_SM },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "occupancy",   SECONDS, QUANTITY Q_GPM_OCCUPANCY },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "integer",     SECONDS, QUANTITY Q_GPM_INTEGER },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "tensor",      SECONDS, QUANTITY Q_GPM_TENSOR },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "tensor_dfma", SECONDS, QUANTITY Q_GPM_DFMA },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "tensor_hmma", SECONDS, QUANTITY Q_GPM_HMMA },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "tensor_imma", SECONDS, QUANTITY Q_GPM_IMMA },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "fp64",        SECONDS, QUANTITY Q_GPM_FP64 },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "fp32",        SECONDS, QUANTITY Q_GPM_FP32 },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "fp16",        SECONDS, QUANTITY Q_GPM_FP16 },
	{ NOT_ON_PAGE, "nvidia_gpm_mig", "dram",        SECONDS, QUANTITY Q_GPM_DRAM },
	{ "GPU", "energy",              "amd_gpu", "energy", JOULES,
	  SUMMARY "gpu_energy", PANEL "Power, GPUs", QUANTITY Q_JOULES_GPU },
	{ "GPU", "busy GPUs, mean",     "amd_gpu", "gpu_util", MEAN, .scale = .01, EACH,
	  SUMMARY "gpu_busy", PANEL "GPUs busy" },
	{ "GPU", "XGMI read",           "amd_gpu", "xgmi_read",  BYTES },
	{ "GPU", "XGMI written",        "amd_gpu", "xgmi_write", BYTES },
	{ "GPU", "uncorrected errors",  "amd_gpu", "umc_ue" },
	{ NOT_ON_PAGE, "amd_gpu", "gpu_mem_total_mb", PEAK, BYTES },
	{ "GPU memory", "used, peak",   "amd_gpu", "gpu_mem_used_mb", PEAK, BYTES,
	  PANEL "GPU memory" },

	{ "Disk (counted once)", "read",     "block", "rd_sectors", BYTES, .scale = 512, ONCE,
	  SUMMARY "disk_read", PANEL "Disks, read", QUANTITY Q_DISK_BYTES },
	{ "Disk (counted once)", "written",  "block", "wr_sectors", BYTES, .scale = 512, ONCE,
	  SUMMARY "disk_written", PANEL "Disks, written", QUANTITY Q_DISK_BYTES },
	{ "Disk (counted once)", "reads",    "block", "rd_ios", ONCE, QUANTITY Q_DISK_REQUESTS },
	{ "Disk (counted once)", "writes",   "block", "wr_ios", ONCE, QUANTITY Q_DISK_REQUESTS },

	{ "Network without lo", "received",        "net", "rx_bytes",   BYTES, ONCE,
	  PACKET "link.in", SUMMARY "net_rx", PANEL "Network received",
	  QUANTITY Q_NET_BYTES },
	{ "Network without lo", "sent",            "net", "tx_bytes",   BYTES, ONCE,
	  PACKET "link.out", SUMMARY "net_tx", PANEL "Network sent",
	  QUANTITY Q_NET_BYTES },
	{ "Network without lo", "packets received", "net", "rx_packets", ONCE,
	  QUANTITY Q_NET_PACKETS },
	{ "Network without lo", "packets sent",    "net", "tx_packets", ONCE,
	  QUANTITY Q_NET_PACKETS },
	{ NOT_ON_PAGE, "net", "rx_errors", ONCE },
	{ NOT_ON_PAGE, "net", "tx_errors", ONCE },
	{ "Network without lo", "over lo",         "net", "rx_bytes",   BYTES, ONLY_LO,
	  .id = "net.lo" },

	{ "TCP", "sent, acknowledged",  "tcp", "bytes_acked",    BYTES },
	{ "TCP", "received",            "tcp", "bytes_received", BYTES },
	{ "TCP", "segments sent again", "tcp", "retrans", PANEL "TCP segments sent again" },
	{ "TCP", "timeouts",            "tcp", "rto" },
	{ "TCP", "time sending",        "tcp", "busy",           SECONDS },
	{ "TCP", "held by congestion",  "tcp", "cwnd_limited",   SECONDS,
	  PANEL "TCP held by congestion" },
	{ "TCP", "held by receivers",   "tcp", "rwnd_limited",   SECONDS },
	{ "TCP", "connections, peak",   "tcp", "connections",    PEAK },
	{ "TCP", "in loss recovery, peak", "tcp", "loss",        PEAK },

	{ "Lustre", "read",             "llite", "read_bytes",  BYTES,
	  SUMMARY "fs_read", PANEL "Lustre, read", QUANTITY Q_FS_BYTES },
	{ "Lustre", "written",          "llite", "write_bytes", BYTES,
	  SUMMARY "fs_written", PANEL "Lustre, written", QUANTITY Q_FS_BYTES },
	{ "Lustre", "read past cache",  "llite", "osc_read",    BYTES },
	{ "Lustre", "written past cache", "llite", "osc_write", BYTES },
	{ "Lustre", "opens",            "llite", "open", QUANTITY Q_OPEN_CLOSE },
	{ NOT_ON_PAGE, "llite", "close", QUANTITY Q_OPEN_CLOSE },
	{ NOT_ON_PAGE, "llite", "fsync", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "setattr", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "truncate", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "flock", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "getattr", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "statfs", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "setxattr", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "getxattr", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "listxattr", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "removexattr", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "readdir", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "create", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "lookup", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "link", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "unlink", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "symlink", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "mkdir", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "rmdir", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "mknod", QUANTITY Q_METADATA },
	{ NOT_ON_PAGE, "llite", "rename", QUANTITY Q_METADATA },
	{ "Lustre", "read from servers", "osc", "read_bytes",    BYTES },
	{ "Lustre", "written to servers", "osc", "write_bytes",   BYTES },
	{ NOT_ON_PAGE, "osc", "reqs", QUANTITY Q_OSC_REQUESTS },
	{ NOT_ON_PAGE, "osc", "wait", SECONDS, QUANTITY Q_OSC_WAIT },
	{ "Lustre", "metadata requests", "mdc", "reqs", QUANTITY Q_MDC_REQUESTS },
	{ NOT_ON_PAGE, "mdc", "wait", SECONDS, QUANTITY Q_MDC_WAIT },
	{ "Lustre", "network received", "lnet", "rx_bytes",     BYTES, QUANTITY Q_LNET_BYTES },
	{ "Lustre", "network sent",     "lnet", "tx_bytes",     BYTES, QUANTITY Q_LNET_BYTES },
	{ NOT_ON_PAGE, "lnet", "rx_msgs", QUANTITY Q_LNET_MESSAGES },
	{ NOT_ON_PAGE, "lnet", "tx_msgs", QUANTITY Q_LNET_MESSAGES },

	{ "Fabric", "IB received",      "ib", "port_rcv_data",  BYTES, .scale = 4, STOPS,
	  PANEL "Fabric received" },
	{ "Fabric", "IB sent",          "ib", "port_xmit_data", BYTES, .scale = 4, STOPS,
	  PANEL "Fabric sent" },
	{ NOT_ON_PAGE, "ib", "symbol_error" },
	{ NOT_ON_PAGE, "ib", "port_rcv_errors" },
	{ NOT_ON_PAGE, "ib", "link_downed" },
	{ "Fabric", "IB ext received",  "ib_ext", "port_rcv_data",  BYTES, .scale = 4,
	  SUMMARY "ib_rx", PANEL "Fabric received", QUANTITY Q_IB_BYTES },
	{ "Fabric", "IB ext sent",      "ib_ext", "port_xmit_data", BYTES, .scale = 4,
	  SUMMARY "ib_tx", PANEL "Fabric sent", QUANTITY Q_IB_BYTES },
	{ NOT_ON_PAGE, "ib_ext", "port_rcv_pkts", QUANTITY Q_IB_PACKETS },
	{ NOT_ON_PAGE, "ib_ext", "port_xmit_pkts", QUANTITY Q_IB_PACKETS },
	{ "Fabric", "IB switch received", "ib_sw", "rx_bytes",  BYTES, ELSEWHERE,
	  PANEL "Fabric received", QUANTITY Q_IB_SWITCH_BYTES },
	{ "Fabric", "IB switch sent",   "ib_sw", "tx_bytes",    BYTES, ELSEWHERE,
	  PANEL "Fabric sent", QUANTITY Q_IB_SWITCH_BYTES },
	{ NOT_ON_PAGE, "ib_sw", "rx_packets", ELSEWHERE, QUANTITY Q_IB_SWITCH_PACKETS },
	{ NOT_ON_PAGE, "ib_sw", "tx_packets", ELSEWHERE, QUANTITY Q_IB_SWITCH_PACKETS },
	{ "Fabric", "OPA received",     "opa", "PortRcvData",   BYTES, .scale = 8,
	  SUMMARY "ib_rx", PANEL "Fabric received", QUANTITY Q_OPA_BYTES },
	{ "Fabric", "OPA sent",         "opa", "PortXmitData",  BYTES, .scale = 8,
	  SUMMARY "ib_tx", PANEL "Fabric sent", QUANTITY Q_OPA_BYTES },
	{ NOT_ON_PAGE, "opa", "PortRcvPkts", QUANTITY Q_OPA_PACKETS },
	{ NOT_ON_PAGE, "opa", "PortXmitPkts", QUANTITY Q_OPA_PACKETS },
	{ NOT_ON_PAGE, "opa", "PortXmitWait", QUANTITY Q_OPA_CONGESTION },
	{ NOT_ON_PAGE, "opa", "SwPortCongestion", QUANTITY Q_OPA_CONGESTION },
	{ NOT_ON_PAGE, "opa", "PortRcvFECN", QUANTITY Q_OPA_CONGESTION },
	{ NOT_ON_PAGE, "opa", "PortRcvBECN", QUANTITY Q_OPA_CONGESTION },
	{ NOT_ON_PAGE, "opa", "link_downed" },
	{ NOT_ON_PAGE, "opa", "port_xmit_discards" },
	{ "Fabric", "Slingshot received", "cxi", "hni_sts_rx_ok_octets", BYTES,
	  QUANTITY Q_CXI_BYTES, PANEL "Fabric received" },
	{ "Fabric", "Slingshot sent",   "cxi", "hni_sts_tx_ok_octets", BYTES,
	  QUANTITY Q_CXI_BYTES, PANEL "Fabric sent" },
	{ NOT_ON_PAGE, "cxi", "hni_pcs_uncorrected_cw" },
	{ NOT_ON_PAGE, "hw_counters", "local_ack_timeout_err" },
	{ NOT_ON_PAGE, "edac", "ue_count" },
	{ NOT_ON_PAGE, "thermal_throttle", "core" },
	{ NOT_ON_PAGE, "thermal_throttle", "package" },
	{ "GPU memory, MIG", "used, peak", "nvidia_mig", "memused", PEAK, BYTES },

	{ "NFS", "read from servers",   "nfs", "server_read",   BYTES, ONCE,
	  SUMMARY "fs_read", PANEL "NFS, read", QUANTITY Q_FS_BYTES },
	{ "NFS", "written to servers",  "nfs", "server_write",  BYTES, ONCE,
	  SUMMARY "fs_written", PANEL "NFS, written", QUANTITY Q_FS_BYTES },

	{ "XRootD", "opens",            "xrootd", "opens",         FROM_0, PANEL "XRootD, opens" },
	{ "XRootD", "opens for writing", "xrootd", "opens_rw",     FROM_0 },
	{ "XRootD", "closes",           "xrootd", "closes",        FROM_0 },
	{ "XRootD", "closes, forced",   "xrootd", "closes_forced", FROM_0 },
	{ "XRootD", "users who left",   "xrootd", "disconnects",   FROM_0 },
	{ "XRootD", "read",             "xrootd", "read_bytes",    FROM_0, BYTES,
	  PANEL "XRootD, read" },
	{ "XRootD", "read by vectors",  "xrootd", "readv_bytes",   FROM_0, BYTES,
	  PANEL "XRootD, read" },
	{ "XRootD", "written",          "xrootd", "write_bytes",   FROM_0, BYTES,
	  PANEL "XRootD, written" },
	{ NOT_ON_PAGE,                  "xrootd", "open_files",    PEAK,
	  PANEL "XRootD, open files" },
	{ "XRootD", "logins",           "xrootd_user", "logins",   FROM_0 },
	{ "XRootD", "redirects",        "xrootd_redirect", "redirects", FROM_0 },
	{ "XRootD requests", "reads",   "xrootd_ops", "reads",     FROM_0 },
	{ "XRootD requests", "reads by vectors", "xrootd_ops", "readvs", FROM_0 },
	{ "XRootD requests", "parts of these", "xrootd_ops", "readv_segments", FROM_0 },
	{ "XRootD requests", "writes",  "xrootd_ops", "writes",    FROM_0 },
	{ "XRootD, t-stream", "opens",  "xrootd_t", "opens",       FROM_0 },
	{ "XRootD, t-stream", "read",   "xrootd_t", "read_bytes",  FROM_0, BYTES },
	{ "XRootD, t-stream", "written", "xrootd_t", "write_bytes", FROM_0, BYTES },
	{ "XRootD cache files", "closed", "xrootd_cache", "closes", FROM_0 },
	{ "XRootD cache files", "of them, all there", "xrootd_cache", "hits", FROM_0 },
	{ "XRootD cache files", "hits", "xrootd_cache", "hit_bytes", FROM_0, BYTES,
	  PANEL "XRootD cache, hits" },
	{ "XRootD cache files", "misses", "xrootd_cache", "miss_bytes", FROM_0, BYTES,
	  PANEL "XRootD cache, no hits" },
	{ "XRootD cache files", "bypass", "xrootd_cache", "bypass_bytes", FROM_0, BYTES,
	  PANEL "XRootD cache, no hits" },
	{ "XRootD cache files", "from origin", "xrootd_cache_origin", "remote_bytes", FROM_0,
	  BYTES },
	{ "XRootD third-party copies", "done", "xrootd_tpc", "copies", FROM_0,
	  PANEL "XRootD, copies" },
	{ "XRootD third-party copies", "failed", "xrootd_tpc", "failed", FROM_0,
	  PANEL "XRootD, copies" },
	{ "XRootD third-party copies", "copied", "xrootd_tpc", "bytes", FROM_0, BYTES },
	{ "XRootD organisations", "transfers", "xrootd_transfer", "transfers", FROM_0 },
	{ "XRootD organisations", "read", "xrootd_transfer", "read_bytes", FROM_0, BYTES },
	{ "XRootD organisations", "read by vectors", "xrootd_transfer", "readv_bytes", FROM_0,
	  BYTES },
	{ "XRootD organisations", "written", "xrootd_transfer", "write_bytes", FROM_0, BYTES },
	{ "XRootD receiver", "records", "xrootd_receiver", "records", FROM_0 },
	{ "XRootD receiver", "gaps",  "xrootd_receiver", "gaps", FROM_0 },
	{ "XRootD receiver", "evicted", "xrootd_receiver", "evicted", FROM_0 },
	{ "XRootD receiver", "damaged", "xrootd_receiver", "damaged", FROM_0 },
	{ "XRootD monitoring", "datagrams", "xrootd_server", "datagrams", FROM_0 },
	{ "XRootD monitoring", "of them lost", "xrootd_server", "lost", FROM_0 },
	{ "XRootD monitoring", "incomplete", "xrootd_server", "incomplete", FROM_0 },
	{ "XRootD bytes", "received", "xrootd_bytes", "in", FROM_0, BYTES, QUANTITY Q_XRD_IN },
	{ "XRootD bytes", "of them written to files", "xrootd_bytes", "in_explained", FROM_0,
	  BYTES, QUANTITY Q_XRD_IN_EXPLAINED },
	{ "XRootD bytes", "sent", "xrootd_bytes", "out", FROM_0, BYTES, QUANTITY Q_XRD_OUT },
	{ "XRootD bytes", "of them read from files", "xrootd_bytes", "out_explained", FROM_0,
	  BYTES, QUANTITY Q_XRD_OUT_EXPLAINED },

	{ "XRootD servers", "connections, peak", "xrd_link", "num", PEAK,
	  PANEL "XRootD, connections" },
	{ "XRootD servers", "connections made", "xrd_link", "tot"    },
	{ "XRootD servers", "received", "xrd_link", "in",       BYTES, PANEL "XRootD, received" },
	{ "XRootD servers", "sent",     "xrd_link", "out",      BYTES, PANEL "XRootD, sent" },
	{ "XRootD servers", "timeouts", "xrd_link", "tmo"       },
	{ "XRootD servers", "threads, peak", "xrd_sched", "threads", PEAK,
	  PANEL "XRootD, threads" },
	{ "XRootD servers", "idle threads, mean", "xrd_sched", "idle", MEAN },
	{ "XRootD servers", "jobs waiting, peak", "xrd_sched", "inq", PEAK },
	{ "XRootD servers", "thread limit met", "xrd_sched", "tlimr" },
	{ "XRootD servers", "CPU, user", "xrd_proc", "usr",     SECONDS },
	{ "XRootD servers", "CPU, system", "xrd_proc", "sys",   SECONDS },
	{ "XRootD servers", "errors",   "xrd_ops", "err"        },
	{ "XRootD servers", "logins failed", "xrd_ops", "lgn_af" },
	{ "XRootD cache", "read from it", "xrd_cache", "rd_out", BYTES },
	{ "XRootD cache", "from origin", "xrd_cache", "rd_in",  BYTES },
	{ "XRootD cache", "past it",    "xrd_cache", "pass",    BYTES },
	{ "XRootD cache", "used, peak", "xrd_cache", "store_used", PEAK, BYTES },
	{ "XRootD space", "used, peak", "xrd_space", "tot", { "free" }, PEAK, BYTES,
	  .id = "xrd_space.used", PANEL "XRootD, space used" },
	{ "XRootD space", "size, peak", "xrd_space", "tot",     PEAK, BYTES },

	{ "nodometer itself", "CPU time", "nodometer", "cpu",   ADDED, SECONDS, WHOLE },
	{ "nodometer itself", "read", "nodometer", "bytes",     ADDED, BYTES,   WHOLE },
	{ "nodometer itself", "errors", "nodometer", "errors",  ADDED, WHOLE },
	{ "nodometer itself", "ticks missed", "nodometer", "stalls", ADDED, WHOLE },
};

const size_t n_figures = ARRAY_SIZE(figures);

bool figures_of_type(struct figures table, struct str type, size_t *first, size_t *end)
{
	size_t i = 0, n;

	type = foreign_type(type);
	while (i < table.n && !str_eq(type, str_of(table.row[i].type)))
		i++;
	for (n = i; n < table.n && str_eq(type, str_of(table.row[n].type)); n++)
		;
	*first = i;
	*end = n;
	return i < n;
}

bool device_matches(struct str device, const char *pattern)
{
	char name[256];
	if (str_eq(device, str_of(pattern)))
		return true;
	return strpbrk(pattern, "*?[\\") && str_copy(name, sizeof(name), device) &&
	       fnmatch(pattern, name, 0) == 0;
}

bool figure_counts(const struct figure *f, struct str device, struct str job)
{
	if (f->job_row)
		return str_eq(device, job);
	if (f->whole_only)
		return str_eq(device, STR("-"));
	return !f->only_device || device_matches(device, f->only_device);
}

double unit_scale(enum figure_unit unit, const char *name)
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
		{ UNIT_JOULES,  "J",  1        },
		{ UNIT_JOULES,  "mJ", 1e-3     },
		{ UNIT_JOULES,  "uJ", 1e-6     },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].unit == unit && strcasecmp(names[i].name, name) == 0)
			return names[i].scale;
	return 0;
}

double figure_scale(const struct figure *f, const char *unit_name, unsigned scale)
{
	double one = unit_scale(f->unit, unit_name);
	return one > 0 ? one * scale : f->scale > 0 ? f->scale : 1;
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

static bool figure_has_id(const struct figure *f, struct str id)
{
	if (f->id)
		return str_eq(id, str_of(f->id));
	return str_take_prefix(&id, str_of(f->type)) && str_take_prefix(&id, STR(".")) &&
	       str_eq(id, str_of(f->key));
}

size_t figures_find(struct figures table, const char *id)
{
	size_t i = 0;
	if (table.row == figures && table.n == n_figures)
		return figure_find(id);
	while (i < table.n && !figure_has_id(&table.row[i], str_of(id)))
		i++;
	return i;
}

size_t figure_find(const char *id)
{
	static struct map by_id;
	uint64_t hash = map_hash(str_of(id));
	/* if several figures have this id, the first one is returned */
	size_t found = n_figures;

	for (size_t i = by_id.n; i < n_figures; i++)
		map_add(&by_id, map_hash(str_of(figure_id(&figures[i]).s)),
			(union map_value){ .n = i });
	for (struct map_slot *at = NULL; (at = map_next(&by_id, hash, at)); )
		if (at->value.n < found && figure_has_id(&figures[at->value.n], str_of(id)))
			found = at->value.n;
	return found;
}
