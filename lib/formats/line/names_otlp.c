/* SPDX-License-Identifier: BSD-3-Clause */
/* names_otlp.c - metric names of OpenTelemetry's conventions for hosts (version 1.45) */
#include "formats/line/series.h"

#define CPU(key, mode) \
	{ "cpu", key, "system.cpu.time", "cpu.logical_number", "cpu.mode", mode }
#define SLAB(key, state) \
	{ "mem", key, "system.memory.linux.slab.usage", NULL, "system.memory.linux.slab.state", \
	  state }
#define DISK(key, name, way) \
	{ "block", key, "system.disk." name, "system.device.name", "disk.io.direction", way }
#define NET(key, name, way) \
	{ "net", key, "system.network." name, "network.interface.name", \
	  "network.io.direction", way }

static const struct series_name otlp_names[] = {
	CPU("user", "user"), CPU("nice", "nice"), CPU("system", "system"), CPU("idle", "idle"),
	CPU("iowait", "iowait"), CPU("irq", "interrupt"), CPU("softirq", "softirq"),
	{ "mem", "MemTotal", "system.memory.limit", NULL },
	{ "mem", "MemFree",  "system.memory.usage", NULL, "system.memory.state", "free" },
	{ "mem", "MemUsed",  "system.memory.usage", NULL, "system.memory.state", "used" },
	{ "mem", "Shmem",    "system.memory.linux.shared", NULL },
	SLAB("SReclaimable", "reclaimable"), SLAB("SUnreclaim", "unreclaimable"),
	{ "meminfo", "MemAvailable", "system.memory.linux.available", NULL },
	{ "ps", "processes", "system.process.created", NULL },
	{ "vm", "pgmajfault", "system.paging.faults", NULL, "system.paging.fault.type", "major" },
	DISK("rd_ios", "operations", "read"),
	DISK("rd_sectors", "io", "read"),
	DISK("wr_ios", "operations", "write"),
	DISK("wr_sectors", "io", "write"),
	{ "block", "io_ticks", "system.disk.io_time", "system.device.name" },
	NET("rx_bytes", "io", "receive"),
	NET("rx_errors", "errors", "receive"),
	NET("rx_packets", "packet.count", "receive"),
	NET("rx_dropped", "packet.dropped", "receive"),
	NET("tx_bytes", "io", "transmit"),
	NET("tx_errors", "errors", "transmit"),
	NET("tx_packets", "packet.count", "transmit"),
	NET("tx_dropped", "packet.dropped", "transmit"),
	{ "intel_rapl", "pkg_energy", "hw.energy", "hw.id", "hw.type", "cpu" },
	{ "amd64_rapl", "pkg_energy", "hw.energy", "hw.id", "hw.type", "cpu" },
};

static void otlp_put_name(struct buf *name, const char *type, const struct record_key *key,
			  const char *unit)
{
	(void)unit;
	buf_addf(name, "nodometer.%s.%s", type, key->name);
	for (size_t i = 0; i < name->n; i++)
		if (name->p[i] == '(' || name->p[i] == ')')
			name->p[i] = '_';
}

const struct series_scheme series_otlp = {
	otlp_names, ARRAY_SIZE(otlp_names), otlp_put_name, "nodometer.job.id", "nodometer.job.owns",
};
