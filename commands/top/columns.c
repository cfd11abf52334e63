/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.c - table of the columns that top shows for each type */
#include "top/columns.h"

#include <assert.h>
#include <string.h>
#include "base/base.h"

#define MB 1e-6
#define GB 1e-9

const struct top_type top_types[] = {
	{ "cpu", .sums = true, .key = {
		{ "user", NULL, 1e-2, 1 }, { "nice", NULL, 1e-2, 1 }, { "system", NULL, 1e-2, 1 },
		{ "idle", NULL, 1e-2, 1 }, { "iowait", NULL, 1e-2, 1 }, { "irq", NULL, 1e-2, 1 },
		{ "softirq", NULL, 1e-2, 1 } } },
	{ "mem", .sums = true, .key = {
		{ "MemTotal", NULL, 1024, GB }, { "MemFree", NULL, 1024, GB },
		{ "FilePages", NULL, 1024, GB }, { "SReclaimable", NULL, 1024, GB } } },
	{ "ps", .sums = true, .key = {
		{ "load_1", NULL, 1e-2, 1 }, { "load_5", NULL, 1e-2, 1 },
		{ "load_15", NULL, 1e-2, 1 }, { "nr_running", NULL, 1, 1 },
		{ "nr_threads", NULL, 1, 1 } } },
	{ "job", .key = {
		{ "cpu", "CPUS", 1e-6, 1 }, { "mem", "MEM GB", 1, GB },
		{ "mem_limit", "OF GB", 1, GB }, { "rd_bytes", "RD MB/s", 1, MB },
		{ "wr_bytes", "WR MB/s", 1, MB }, { "pids", "PIDS", 1, 1 } } },
	{ "nvidia_gpu", .key = {
		{ "utilization", "BUSY %", 1, 1 }, { "memused", "MEM GB", 1, GB },
		{ "memtotal", "OF GB", 1, GB }, { "power", "POWER W", 1e-3, 1 } } },
	{ "amd_gpu", .key = {
		{ "gpu_util", "BUSY %", 1, 1 }, { "gpu_mem_used_mb", "MEM GB", 1048576, GB },
		{ "gpu_mem_total_mb", "OF GB", 1048576, GB },
		{ "power_usage", "POWER W", 1, 1 } } },
	{ "block", .key = {
		{ "rd_sectors", "RD MB/s", 512, MB }, { "wr_sectors", "WR MB/s", 512, MB },
		{ "rd_ios", "READS/s", 1, 1 }, { "wr_ios", "WRITES/s", 1, 1 },
		{ "io_ticks", "BUSY %", 1e-3, 100 } } },
	{ "llite", .key = {
		{ "read_bytes", "RD MB/s", 1, MB }, { "write_bytes", "WR MB/s", 1, MB },
		{ "open", "OPENS/s", 1, 1 } } },
	{ "nfs", .key = {
		{ "normal_read", "RD MB/s", 1, MB }, { "normal_write", "WR MB/s", 1, MB },
		{ "vfs_open", "OPENS/s", 1, 1 } } },
	{ "ib", .key = {
		{ "port_rcv_data", "RX MB/s", 4, MB }, { "port_xmit_data", "TX MB/s", 4, MB },
		{ "port_rcv_packets", "RX PK/s", 1, 1 },
		{ "port_xmit_packets", "TX PK/s", 1, 1 } } },
	{ "opa", .key = {
		{ "PortRcvData", "RX MB/s", 8, MB }, { "PortXmitData", "TX MB/s", 8, MB },
		{ "PortRcvPkts", "RX PK/s", 1, 1 }, { "PortXmitPkts", "TX PK/s", 1, 1 } } },
	{ "cxi", .key = {
		{ "hni_sts_rx_ok_octets", "RX MB/s", 1, MB },
		{ "hni_sts_tx_ok_octets", "TX MB/s", 1, MB } } },
	{ "net", .key = {
		{ "rx_bytes", "RX MB/s", 1, MB }, { "tx_bytes", "TX MB/s", 1, MB },
		{ "rx_packets", "RX PK/s", 1, 1 }, { "tx_packets", "TX PK/s", 1, 1 } } },
	{ "rapl", .key = { { "energy_uj", "POWER W", 1e-6, 1 } } },
	{ "psi", .key = { { "total", "WAITING %", 1e-6, 100 } } },
};
const size_t n_top_types = ARRAY_SIZE(top_types);

const struct top_type *top_type_find(const char *name)
{
	for (size_t i = 0; i < n_top_types; i++)
		if (strcmp(top_types[i].name, name) == 0)
			return &top_types[i];
	return NULL;
}

size_t top_key_find(const struct top_type *t, const char *key)
{
	size_t i = 0;
	while (i < TOP_KEYS && t->key[i].key && strcmp(t->key[i].key, key) != 0)
		i++;
	assert(i < TOP_KEYS && t->key[i].key);
	return i;
}
