/* SPDX-License-Identifier: BSD-3-Clause */
/* clustercockpit.c - encode records in ClusterCockpit's line protocol and metric names */
#include "formats/line/line.h"

#include "base/json.h"
#include "formats/line/line_word.h"
#include "formats/line/rates.h"

enum scope { NODE, HWTHREAD, SOCKET, ACCELERATOR };
static const char *const scopes[] = { "node", "hwthread", "socket", "accelerator" };

/*
 * Metric names and units as cc-metric-collector sends them without its router. If .rate is set, a
 * counter becomes a rate per second. The value of a node is the sum of the devices' values, or
 * their mean if .percent is set.
 */
static const struct metric_name {
	const char *type, *key, *name;
	enum scope scope;
	/*
	 * value of the tag "stype" for a device that is only a part of the metric's scope, such as
	 * one network interface of a node; NULL: no such tag
	 */
	const char *stype;
	double times;
	bool rate, percent;
} names[] = {
	{ "cpu", "user",    "cpu_user",    HWTHREAD, NULL, 1, true, true },
	{ "cpu", "nice",    "cpu_nice",    HWTHREAD, NULL, 1, true, true },
	{ "cpu", "system",  "cpu_system",  HWTHREAD, NULL, 1, true, true },
	{ "cpu", "idle",    "cpu_idle",    HWTHREAD, NULL, 1, true, true },
	{ "cpu", "iowait",  "cpu_iowait",  HWTHREAD, NULL, 1, true, true },
	{ "cpu", "irq",     "cpu_irq",     HWTHREAD, NULL, 1, true, true },
	{ "cpu", "softirq", "cpu_softirq", HWTHREAD, NULL, 1, true, true },
	{ "ps", "load_1",     "cpu_load",     NODE, NULL, .01 },
	{ "ps", "load_1",     "load_one",     NODE, NULL, .01 },
	{ "ps", "load_5",     "load_five",    NODE, NULL, .01 },
	{ "ps", "load_15",    "load_fifteen", NODE, NULL, .01 },
	{ "ps", "nr_running", "proc_run",     NODE, NULL, 1 },
	{ "ps", "nr_threads", "proc_total",   NODE, NULL, 1 },
	{ "mem", "MemTotal",  "mem_total",      NODE, NULL, 1 },
	{ "mem", "MemFree",   "mem_free",       NODE, NULL, 1 },
	{ "mem", "MemUsed",   "mem_used",       NODE, NULL, 1 },
	{ "mem", "AnonPages", "mem_anon_pages", NODE, NULL, 1 },
	{ "mem", "Slab",      "mem_slab",       NODE, NULL, 1 },
	{ "net", "rx_bytes",   "net_bytes_in",     NODE, "network", 1 },
	{ "net", "tx_bytes",   "net_bytes_out",    NODE, "network", 1 },
	{ "net", "rx_packets", "net_pkts_in",      NODE, "network", 1 },
	{ "net", "tx_packets", "net_pkts_out",     NODE, "network", 1 },
	{ "net", "rx_bytes",   "net_bytes_in_bw",  NODE, "network", 1, true },
	{ "net", "tx_bytes",   "net_bytes_out_bw", NODE, "network", 1, true },
	{ "net", "rx_packets", "net_pkts_in_bw",   NODE, "network", 1, true },
	{ "net", "tx_packets", "net_pkts_out_bw",  NODE, "network", 1, true },
	{ "ib", "port_rcv_data",     "ib_recv",         NODE, "infiniband", 4 },
	{ "ib", "port_xmit_data",    "ib_xmit",         NODE, "infiniband", 4 },
	{ "ib", "port_rcv_packets",  "ib_recv_pkts",    NODE, "infiniband", 1 },
	{ "ib", "port_xmit_packets", "ib_xmit_pkts",    NODE, "infiniband", 1 },
	{ "ib", "port_rcv_data",     "ib_recv_bw",      NODE, "infiniband", 4, true },
	{ "ib", "port_xmit_data",    "ib_xmit_bw",      NODE, "infiniband", 4, true },
	{ "llite", "read_bytes",  "lustre_read_bytes",  NODE, "filesystem", 1 },
	{ "llite", "write_bytes", "lustre_write_bytes", NODE, "filesystem", 1 },
	{ "llite", "read_bytes",  "lustre_read_bw",     NODE, "filesystem", 1, true },
	{ "llite", "write_bytes", "lustre_write_bw",    NODE, "filesystem", 1, true },
	{ "intel_rapl", "pkg_energy", "cpu_power", SOCKET, NULL, .001, true },
	{ "amd64_rapl", "pkg_energy", "cpu_power", SOCKET, NULL, .001, true },
	{ "nvidia_gpu", "utilization", "acc_utilization", ACCELERATOR, NULL, 1 },
	{ "nvidia_gpu", "memused",     "acc_mem_used",    ACCELERATOR, NULL, 0x1p-20 },	/* MiB */
	{ "nvidia_gpu", "power",       "acc_power",       ACCELERATOR, NULL, .001 },
	{ "nvidia_gpu", "sm_clock",    "nv_sm_clock",     ACCELERATOR, NULL, 1 },
	{ "nvidia_gpu", "temperature", "nv_temp",         ACCELERATOR, NULL, 1 },
};

struct cockpit {
	struct buf *to;
	struct str tags;	/* tags of all lines */
	const struct line_node *node;
	int64_t usec;
};

static void cockpit_put_line(const struct cockpit *c, const struct metric_name *m, enum scope scope,
			     struct str device, double value)
{
	struct buf *b = c->to;
	bool part = scope == NODE && m->stype && device.n;
	buf_addf(b, "%s", m->name);
	buf_add(b, c->tags);
	line_put_tag(b, STR("type"), str_of(scopes[scope]));
	line_put_tag(b, STR("type-id"), scope == NODE || !device.n ? STR("0") : device);
	if (part) {
		line_put_tag(b, STR("stype"), str_of(m->stype));
		line_put_tag(b, STR("stype-id"), device);
	}
	buf_add(b, STR(" value="));
	json_put_double(b, value);
	buf_addf(b, " %lld\n", (long long)(c->usec / 1000000));
}

/*
 * Get the value of a metric from a row. Returns false if the key's value is missing, or if the
 * metric is a rate and there is no earlier reading.
 */
static bool cockpit_value_of(const struct cockpit *c, const struct metric_name *m,
			     const struct record_row *row, size_t key, double *value)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	if (!row_has(row, key))
		return false;
	*value = row_double(row, key) * m->times;
	if (!m->rate)
		return true;
	buf_addf(&name, "%s " STR_FMT, m->name, STR_ARG(row->device));
	return c->node->rates && rates_take(c->node->rates, buf_str(&name), c->usec, *value, value);
}

/* Append the lines of a metric. If a device has no value, the line for the node is left out. */
static void cockpit_put_metric(const struct cockpit *c, const struct metric_name *m,
			       const struct record_rows *rows, size_t key)
{
	bool whole = rows->n > 0;
	double sum = 0;
	for (size_t i = 0; i < rows->n; i++) {
		const struct record_row *row = &rows->row[i];
		double value;
		bool known = cockpit_value_of(c, m, row, key, &value);
		whole &= known;
		if (known && (m->scope != NODE || m->stype))
			cockpit_put_line(c, m, m->scope, row->device, value);
		sum += known ? value : 0;
	}
	if (whole && (m->percent || (m->scope == NODE && !m->stype)))
		cockpit_put_line(c, m, NODE, STR(""), m->percent ? sum / (double)rows->n : sum);
}

static void cockpit_put_record(struct buf *to, const struct line_node *node, const struct record *r)
{
	struct buf tags CLEANUP(buf_free) = { 0 };
	line_put_tag(&tags, STR("hostname"), node->host.n ? node->host : STR("-"));
	for (size_t i = 0; i < node->n_labels; i++)
		line_put_tag(&tags, node->label[i].name, node->label[i].value);
	const struct cockpit c = { to, buf_str(&tags), node, r->usec };
	for (size_t i = 0; i < r->n_types; i++)
		for (size_t m = 0; m < ARRAY_SIZE(names); m++) {
			const struct record_type *type = r->rows[i].type;
			int key = strcmp(names[m].type, type->name) == 0 ?
				  record_key_find(type, names[m].key) : -1;
			if (key >= 0)
				cockpit_put_metric(&c, &names[m], &r->rows[i], (size_t)key);
		}
}

const struct line_encoder clustercockpit_encoder = {
	.name         = "clustercockpit",
	.about        = "ClusterCockpit's names in its line protocol (cc-metric-store)",
	.content_type = "text/plain; charset=utf-8",
	.put          = cockpit_put_record,
};
