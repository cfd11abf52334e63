/* SPDX-License-Identifier: BSD-3-Clause */
/* names_prometheus.c - metric names of node_exporter, cgroup_exporter and jobstats */
#include "formats/line/series.h"

#define CPU(mode) { "cpu", mode, "node_cpu_seconds_total", "cpu", "mode", mode }
#define MEM(key) { "mem", key, "node_memory_" key "_bytes", NULL }
#define DISK(key, name) { "block", key, "node_disk_" name, "device" }
#define NET(key, name) { "net", key, "node_network_" name "_total", "device" }
#define IB(key, name) \
	{ "ib", key, "node_infiniband_" name "_total", "device", .port = "port" }
#define PSI(row_, name) \
	{ "psi", "total", "node_pressure_" name "_seconds_total", NULL, .row = row_ }
#define MORE_MEM(key) { "meminfo_more", key, "node_memory_" key "_bytes", NULL }
#define NETSTAT(key) { "netstat", key, "node_netstat_" key, NULL, .per = 1 }
#define SOCKSTAT(key) { "sockstat", key, "node_sockstat_" key, NULL }
#define KERNEL(key, name) { "kernel", key, "node_" name, NULL, .per = 1 }
#define FS(key, name) { "filesystem", key, "node_filesystem_" name, "mountpoint" }
#define NFS(key, name) \
	{ "nfs_calls", key, "node_nfs_requests_total", "proto", "method", name }
#define VM(key) { "vm", key, "node_vmstat_" key, "device", .per = 1 }
#define JOB(key, name) { "job", key, "cgroup_" name, "jobid" }
#define GPU(key, name) \
	{ "nvidia_gpu", key, "nvidia_gpu_" name, "minor_number", .gpu = true }

static const struct series_name prometheus_names[] = {
	CPU("user"), CPU("nice"), CPU("system"), CPU("idle"), CPU("iowait"), CPU("irq"),
	CPU("softirq"),
	{ "cpu_virt", "steal", "node_cpu_seconds_total", "cpu", "mode", "steal" },
	{ "cpu_virt", "guest", "node_cpu_guest_seconds_total", "cpu", "mode", "user" },
	{ "cpu_virt", "guest_nice", "node_cpu_guest_seconds_total", "cpu", "mode", "nice" },
	{ "cpufreq", "scaling_cur_freq", "node_cpu_scaling_frequency_hertz", "cpu" },
	{ "cpufreq", "scaling_min_freq", "node_cpu_scaling_frequency_min_hertz", "cpu" },
	{ "cpufreq", "scaling_max_freq", "node_cpu_scaling_frequency_max_hertz", "cpu" },
	{ "thermal_throttle", "core", "node_cpu_core_throttles_total", "cpu" },
	{ "thermal_throttle", "package", "node_cpu_package_throttles_total", "cpu" },
	MEM("MemTotal"), MEM("MemFree"), MEM("Active"), MEM("Inactive"), MEM("Dirty"),
	MEM("Writeback"), MEM("Mapped"), MEM("AnonPages"), MEM("PageTables"), MEM("Slab"),
	MEM("AnonHugePages"), MEM("Unevictable"), MEM("Mlocked"), MEM("Shmem"),
	MEM("KernelStack"), MEM("KReclaimable"), MEM("SReclaimable"), MEM("SUnreclaim"),
	{ "mem", "HugePages_Total", "node_memory_HugePages_Total", NULL },
	{ "mem", "HugePages_Free", "node_memory_HugePages_Free", NULL },
	{ "mem", "HugePages_Surp", "node_memory_HugePages_Surp", NULL },
	{ "mem", "Active(anon)", "node_memory_Active_anon_bytes", NULL },
	{ "mem", "Inactive(anon)", "node_memory_Inactive_anon_bytes", NULL },
	{ "mem", "Active(file)", "node_memory_Active_file_bytes", NULL },
	{ "mem", "Inactive(file)", "node_memory_Inactive_file_bytes", NULL },
	MEM("NFS_Unstable"), MEM("Bounce"), MEM("WritebackTmp"), MEM("SwapCached"),
	MEM("SecPageTables"), MEM("ShmemHugePages"), MEM("ShmemPmdMapped"), MEM("FileHugePages"),
	MEM("FilePmdMapped"),
	{ "meminfo", "MemAvailable", "node_memory_MemAvailable_bytes", NULL },
	{ "meminfo", "Buffers", "node_memory_Buffers_bytes", NULL },
	{ "meminfo", "Cached", "node_memory_Cached_bytes", NULL },
	{ "meminfo", "SwapTotal", "node_memory_SwapTotal_bytes", NULL },
	{ "meminfo", "SwapFree", "node_memory_SwapFree_bytes", NULL },
	MORE_MEM("CommitLimit"), MORE_MEM("Committed_AS"), MORE_MEM("VmallocTotal"),
	MORE_MEM("VmallocUsed"), MORE_MEM("VmallocChunk"), MORE_MEM("Percpu"),
	MORE_MEM("HardwareCorrupted"), MORE_MEM("Hugepagesize"), MORE_MEM("DirectMap4k"),
	MORE_MEM("DirectMap2M"), MORE_MEM("DirectMap1G"),
	{ "meminfo_more", "HugePages_Rsvd", "node_memory_HugePages_Rsvd", NULL },
	PSI("cpu-some", "cpu_waiting"), PSI("memory-some", "memory_waiting"),
	PSI("memory-full", "memory_stalled"), PSI("io-some", "io_waiting"),
	PSI("io-full", "io_stalled"), PSI("irq-full", "irq_stalled"),
	DISK("rd_ios", "reads_completed_total"),
	DISK("rd_merges", "reads_merged_total"),
	DISK("rd_sectors", "read_bytes_total"),
	DISK("rd_ticks", "read_time_seconds_total"),
	DISK("wr_ios", "writes_completed_total"),
	DISK("wr_merges", "writes_merged_total"),
	DISK("wr_sectors", "written_bytes_total"),
	/* the jobstats dashboard uses this name */
	DISK("wr_sectors", "write_bytes_total"),
	DISK("wr_ticks", "write_time_seconds_total"),
	DISK("in_flight", "io_now"),
	DISK("io_ticks", "io_time_seconds_total"),
	DISK("time_in_queue", "io_time_weighted_seconds_total"),
	NET("collisions", "transmit_colls"),
	NET("multicast", "receive_multicast"),
	NET("rx_bytes", "receive_bytes"),
	NET("rx_compressed", "receive_compressed"),
	NET("rx_dropped", "receive_drop"),
	NET("rx_errors", "receive_errs"),
	NET("rx_fifo_errors", "receive_fifo"),
	NET("rx_frame_errors", "receive_frame"),
	NET("rx_packets", "receive_packets"),
	NET("tx_bytes", "transmit_bytes"),
	NET("tx_carrier_errors", "transmit_carrier"),
	NET("tx_compressed", "transmit_compressed"),
	NET("tx_dropped", "transmit_drop"),
	NET("tx_errors", "transmit_errs"),
	NET("tx_fifo_errors", "transmit_fifo"),
	NET("tx_packets", "transmit_packets"),
	NET("rx_nohandler", "receive_nohandler"),
	IB("port_rcv_data", "port_data_received_bytes"),
	IB("port_xmit_data", "port_data_transmitted_bytes"),
	IB("port_rcv_packets", "port_packets_received"),
	IB("port_xmit_packets", "port_packets_transmitted"),
	IB("unicast_rcv_packets", "unicast_packets_received"),
	IB("unicast_xmit_packets", "unicast_packets_transmitted"),
	IB("multicast_rcv_packets", "multicast_packets_received"),
	IB("multicast_xmit_packets", "multicast_packets_transmitted"),
	IB("link_downed", "link_downed"),
	IB("link_error_recovery", "link_error_recovery"),
	IB("local_link_integrity_errors", "local_link_integrity_errors"),
	IB("excessive_buffer_overrun_errors", "excessive_buffer_overrun_errors"),
	IB("symbol_error", "symbol_error"),
	IB("VL15_dropped", "vl15_dropped"),
	IB("port_rcv_errors", "port_errors_received"),
	IB("port_rcv_constraint_errors", "port_constraint_errors_received"),
	IB("port_rcv_remote_physical_errors", "port_receive_remote_physical_errors"),
	IB("port_rcv_switch_relay_errors", "port_receive_switch_relay_errors"),
	IB("port_rcv_discards", "port_discards_received"),
	IB("port_xmit_discards", "port_discards_transmitted"),
	IB("port_xmit_constraint_errors", "port_constraint_errors_transmitted"),
	{ "ib", "port_xmit_wait", "node_infiniband_port_transmit_wait_total", "device", .per = 1,
	  .port = "port" },
	{ "ps", "ctxt",       "node_context_switches_total", "device" },
	{ "ps", "processes",  "node_forks_total",            "device" },
	{ "ps", "load_1",     "node_load1",                  "device", .per = 100 },
	{ "ps", "load_5",     "node_load5",                  "device", .per = 100 },
	{ "ps", "load_15",    "node_load15",                 "device", .per = 100 },
	{ "ps", "nr_running", "node_procs_running",          "device" },
	{ "ps", "nr_threads", "node_processes_threads",      "device" },
	{ "vfs", "file_use",  "node_filefd_allocated",       "device" },
	KERNEL("btime", "boot_time_seconds"),
	KERNEL("intr", "intr_total"),
	KERNEL("procs_blocked", "procs_blocked"),
	KERNEL("oom_kill", "vmstat_oom_kill"),
	KERNEL("entropy_avail", "entropy_available_bits"),
	KERNEL("entropy_poolsize", "entropy_pool_size_bits"),
	KERNEL("conntrack", "nf_conntrack_entries"),
	KERNEL("conntrack_max", "nf_conntrack_entries_limit"),
	KERNEL("file_max", "filefd_maximum"),
	KERNEL("pid_max", "processes_max_processes"),
	KERNEL("threads_max", "processes_max_threads"),
	{ "net_link", "carrier", "node_network_carrier", "device" },
	{ "net_link", "carrier", "node_network_up", "device" },
	{ "net_link", "mtu", "node_network_mtu_bytes", "device" },
	{ "net_link", "speed", "node_network_speed_bytes", "device", .times = 125000, .per = 1 },
	{ "net_link", "tx_queue_len", "node_network_transmit_queue_length", "device" },
	FS("size", "size_bytes"), FS("free", "free_bytes"), FS("avail", "avail_bytes"),
	FS("files", "files"), FS("files_free", "files_free"), FS("readonly", "readonly"),
	{ "softnet", "processed", "node_softnet_processed_total", "cpu" },
	{ "softnet", "dropped", "node_softnet_dropped_total", "cpu" },
	{ "softnet", "times_squeezed", "node_softnet_times_squeezed_total", "cpu" },
	{ "schedstat", "running", "node_schedstat_running_seconds_total", "cpu" },
	{ "schedstat", "waiting", "node_schedstat_waiting_seconds_total", "cpu" },
	{ "schedstat", "timeslices", "node_schedstat_timeslices_total", "cpu" },
	{ "tcp", "connections", "node_tcp_connection_states", NULL, "state", "established" },
	NETSTAT("Ip_Forwarding"), NETSTAT("IpExt_InOctets"), NETSTAT("IpExt_OutOctets"),
	NETSTAT("Icmp_InMsgs"), NETSTAT("Icmp_InErrors"), NETSTAT("Icmp_OutMsgs"),
	NETSTAT("Tcp_MaxConn"), NETSTAT("Tcp_ActiveOpens"), NETSTAT("Tcp_PassiveOpens"),
	NETSTAT("Tcp_CurrEstab"), NETSTAT("Tcp_InSegs"), NETSTAT("Tcp_OutSegs"),
	NETSTAT("Tcp_RetransSegs"), NETSTAT("Tcp_InErrs"), NETSTAT("Tcp_OutRsts"),
	NETSTAT("TcpExt_ListenOverflows"), NETSTAT("TcpExt_ListenDrops"),
	NETSTAT("TcpExt_SyncookiesSent"), NETSTAT("TcpExt_SyncookiesRecv"),
	NETSTAT("TcpExt_SyncookiesFailed"), NETSTAT("TcpExt_TCPSynRetrans"),
	NETSTAT("TcpExt_TCPTimeouts"), NETSTAT("TcpExt_TCPOFOQueue"),
	NETSTAT("TcpExt_TCPRcvQDrop"), NETSTAT("Udp_InDatagrams"), NETSTAT("Udp_OutDatagrams"),
	NETSTAT("Udp_InErrors"), NETSTAT("Udp_NoPorts"), NETSTAT("Udp_RcvbufErrors"),
	NETSTAT("Udp_SndbufErrors"), NETSTAT("UdpLite_InErrors"),
	{ "sockstat", "TCP_tw", "node_tcp_connection_states", NULL, "state", "time_wait" },
	SOCKSTAT("sockets_used"), SOCKSTAT("TCP_inuse"), SOCKSTAT("TCP_orphan"),
	SOCKSTAT("TCP_tw"), SOCKSTAT("TCP_alloc"), SOCKSTAT("TCP_mem"),
	SOCKSTAT("TCP_mem_bytes"), SOCKSTAT("UDP_inuse"),
	SOCKSTAT("UDP_mem"), SOCKSTAT("UDP_mem_bytes"), SOCKSTAT("UDPLITE_inuse"),
	SOCKSTAT("RAW_inuse"),
	SOCKSTAT("FRAG_inuse"), SOCKSTAT("FRAG_memory"),
	NFS("null", "Null"), NFS("getattr", "GetAttr"), NFS("setattr", "SetAttr"),
	NFS("lookup", "Lookup"), NFS("access", "Access"), NFS("readlink", "ReadLink"),
	NFS("read", "Read"), NFS("write", "Write"), NFS("create", "Create"),
	NFS("mkdir", "MkDir"), NFS("symlink", "SymLink"), NFS("mknod", "MkNod"),
	NFS("remove", "Remove"), NFS("rmdir", "RmDir"), NFS("rename", "Rename"),
	NFS("link", "Link"), NFS("readdir", "ReadDir"), NFS("readdirplus", "ReadDirPlus"),
	NFS("fsstat", "FsStat"), NFS("fsinfo", "FsInfo"), NFS("pathconf", "PathConf"),
	NFS("commit", "Commit"), NFS("open", "Open"), NFS("open_confirm", "OpenConfirm"),
	NFS("open_noattr", "OpenNoattr"), NFS("open_downgrade", "OpenDowngrade"),
	NFS("close", "Close"), NFS("renew", "Renew"), NFS("setclientid", "SetClientID"),
	NFS("setclientid_confirm", "SetClientIDConfirm"), NFS("lock", "Lock"),
	NFS("lockt", "LockT"), NFS("locku", "LockU"), NFS("lookup_root", "LookupRoot"),
	NFS("statfs", "StatFs"), NFS("server_caps", "ServerCaps"),
	NFS("delegreturn", "DelegReturn"), NFS("getacl", "GetACL"), NFS("setacl", "SetACL"),
	NFS("fs_locations", "FsLocations"),
	VM("pgpgin"), VM("pgpgout"), VM("pswpin"), VM("pswpout"), VM("pgfault"), VM("pgmajfault"),
	{ "intel_rapl", "pkg_energy",  "node_rapl_package_joules_total", "index" },
	{ "intel_rapl", "pp0_energy",  "node_rapl_core_joules_total",    "index" },
	{ "intel_rapl", "dram_energy", "node_rapl_dram_joules_total",    "index" },
	{ "amd64_rapl", "pkg_energy",  "node_rapl_package_joules_total", "index" },
	{ "amd64_rapl", "core_energy", "node_rapl_core_joules_total",    "index" },
	JOB("cpu",       "cpu_total_seconds"),
	JOB("user",      "cpu_user_seconds"),
	JOB("system",    "cpu_system_seconds"),
	JOB("mem",       "memory_used_bytes"),
	JOB("mem_limit", "memory_total_bytes"),
	JOB("anon",      "memory_rss_bytes"),
	JOB("file",      "memory_cache_bytes"),
	JOB("shmem",     "memory_shmem_bytes"),
	JOB("cpus",      "cpus"),
	/*
	 * With cgroup v2, jobstats exports the number of "oom" events under this name. oom_kill is
	 * close to this number, because the kernel kills processes in these events.
	 */
	{ "job", "oom_kill", "cgroup_memory_fail_count", "jobid", .also = true },
	GPU("memtotal",        "memory_total_bytes"),
	GPU("memused",         "memory_used_bytes"),
	{ "nvidia_gpu", "power", "nvidia_gpu_power_usage_milliwatts", "minor_number", .per = 1,
	  .gpu = true },
	GPU("utilization",     "duty_cycle"),
	GPU("temperature",     "temperature_celsius"),
};

/*
 * Append nodometer_TYPE_KEY_UNIT[_total]. Characters that are not allowed in a metric name become
 * "_".
 */
static void prometheus_put_name(struct buf *name, const char *type, const struct record_key *key,
				const char *unit)
{
	buf_addf(name, "nodometer_%s_%s", type, key->name);
	while (name->n && name->p[name->n - 1] == ')')
		name->n--;
	for (size_t i = 0; i < name->n; i++) {
		char c = name->p[i], lower = (char)(c | 0x20);
		if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9'))
			name->p[i] = '_';
	}
	struct buf end CLEANUP(buf_free) = { 0 };
	buf_addf(&end, "_%s", unit);
	if (*unit && !str_ends(buf_str(name), buf_str(&end)))
		buf_add(name, buf_str(&end));
	if (key->kind == COUNTER)
		buf_add(name, STR("_total"));
}

/*
 * Dashboards select a node by the label instance="n1:9100", which has the port of an exporter.
 * Metrics with the prefix of an exporter get the port of this exporter; all others get the port of
 * node_exporter.
 */
static const struct series_port prometheus_ports[] = {
	{ "cgroup_",     "9306" },	/* cgroup_exporter of jobstats */
	{ "nvidia_gpu_", "9445" },	/* nvidia_gpu_prometheus_exporter */
	{ "",            "9100" },	/* node_exporter */
};

const struct series_scheme series_prometheus = {
	prometheus_names, ARRAY_SIZE(prometheus_names), prometheus_put_name,
	"jobid", "nodometer_job_owns", prometheus_ports, ARRAY_SIZE(prometheus_ports),
	.facts = true,
};
