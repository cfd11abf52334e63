/* SPDX-License-Identifier: BSD-3-Clause */
/* names_prometheus.c - metric names of node_exporter, cgroup_exporter and jobstats */
#include "formats/line/series.h"

#define CPU(mode) { "cpu", mode, "node_cpu_seconds_total", "cpu", "mode", mode }
#define MEM(key) { "mem", key, "node_memory_" key "_bytes", NULL }
#define DISK(key, name) { "block", key, "node_disk_" name, "device" }
#define NET(key, name) { "net", key, "node_network_" name "_total", "device" }
#define IB(key, name) { "ib", key, "node_infiniband_port_" name "_total", "device" }
#define VM(key) { "vm", key, "node_vmstat_" key, "device", .per = 1 }
#define JOB(key, name) { "job", key, "cgroup_" name, "jobid" }
#define GPU(key, name) { "nvidia_gpu", key, "nvidia_gpu_" name, "minor_number" }

static const struct series_name prometheus_names[] = {
	CPU("user"), CPU("nice"), CPU("system"), CPU("idle"), CPU("iowait"), CPU("irq"),
	CPU("softirq"),
	MEM("MemTotal"), MEM("MemFree"), MEM("Active"), MEM("Inactive"), MEM("Dirty"),
	MEM("Writeback"), MEM("Mapped"), MEM("AnonPages"), MEM("PageTables"), MEM("Slab"),
	MEM("AnonHugePages"), MEM("Unevictable"), MEM("Mlocked"), MEM("Shmem"),
	MEM("KernelStack"), MEM("KReclaimable"), MEM("SReclaimable"), MEM("SUnreclaim"),
	{ "mem", "HugePages_Total", "node_memory_HugePages_Total", NULL },
	{ "mem", "HugePages_Free", "node_memory_HugePages_Free", NULL },
	{ "meminfo", "MemAvailable", "node_memory_MemAvailable_bytes", NULL },
	DISK("rd_ios", "reads_completed_total"),
	DISK("rd_merges", "reads_merged_total"),
	DISK("rd_sectors", "read_bytes_total"),
	DISK("rd_ticks", "read_time_seconds_total"),
	DISK("wr_ios", "writes_completed_total"),
	DISK("wr_merges", "writes_merged_total"),
	DISK("wr_sectors", "written_bytes_total"),
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
	IB("port_rcv_data", "data_received_bytes"),
	IB("port_xmit_data", "data_transmitted_bytes"),
	IB("port_rcv_packets", "packets_received"),
	IB("port_xmit_packets", "packets_transmitted"),
	IB("unicast_rcv_packets", "unicast_packets_received"),
	IB("unicast_xmit_packets", "unicast_packets_transmitted"),
	IB("multicast_rcv_packets", "multicast_packets_received"),
	IB("multicast_xmit_packets", "multicast_packets_transmitted"),
	IB("link_downed", "link_downed"),
	IB("link_error_recovery", "link_error_recovery"),
	IB("symbol_error", "symbol_error"),
	IB("port_rcv_errors", "errors_received"),
	IB("port_xmit_discards", "discards_transmitted"),
	{ "ib", "port_xmit_wait", "node_infiniband_port_transmit_wait_total", "device", .per = 1 },
	{ "ps", "ctxt",       "node_context_switches_total", "device" },
	{ "ps", "processes",  "node_forks_total",            "device" },
	{ "ps", "load_1",     "node_load1",                  "device", .per = 100 },
	{ "ps", "load_5",     "node_load5",                  "device", .per = 100 },
	{ "ps", "load_15",    "node_load15",                 "device", .per = 100 },
	{ "ps", "nr_running", "node_procs_running",          "device" },
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
	GPU("memtotal",        "memory_total_bytes"),
	GPU("memused",         "memory_used_bytes"),
	{ "nvidia_gpu", "power", "nvidia_gpu_power_usage_milliwatts", "minor_number", .per = 1 },
	GPU("utilization",     "duty_cycle"),
	GPU("temperature",     "temperature_celsius"),
};

/* Append nodometer_TYPE_KEY_UNIT[_total]. Characters that a metric name cannot have become "_". */
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

const struct series_scheme series_prometheus = {
	prometheus_names, ARRAY_SIZE(prometheus_names), prometheus_put_name,
	"jobid", "nodometer_job_owns",
};
