/* SPDX-License-Identifier: BSD-3-Clause */
/* test_line.c - write records as lines and series of other systems: names, units, missing values */
#include "tests/unit/tree.h"

#include <string.h>
#include "formats/line/exposition.h"
#include "formats/line/line.h"
#include "formats/line/rates.h"

#define SECOND INT64_C(1000000)
#define MISSING UINT64_MAX

/* Two rows of a type with one key. MISSING stands for a value that was not read. */
struct part {
	const char *type, *key, *unit;
	unsigned scale;
	enum metric_kind kind;
	const char *device[2];
	uint64_t value[2];
};

/* A record with the rows of one struct part, and the arrays that it refers to. */
struct made {
	struct record_key key;
	struct record_type type;
	struct record_row row[2];
	uint64_t value[2], present[2];
	struct record_rows rows;
	struct str job;
	struct record record;
};

static void make(struct made *m, const struct part *p, int64_t usec)
{
	size_t n = 0;
	m->key = (struct record_key){ .name = p->key, .unit = p->unit, .kind = p->kind,
				      .bits = 64, .scale = p->scale ? p->scale : 1,
				      .unit_name = p->unit };
	m->type = (struct record_type){ p->type, &m->key, 1 };
	for (; n < 2 && p->device[n]; n++) {
		m->value[n] = p->value[n];
		m->present[n] = p->value[n] != MISSING;
		m->row[n] = (struct record_row){ .device = str_of(p->device[n]),
						 .value = &m->value[n],
						 .present = &m->present[n] };
	}
	m->rows = (struct record_rows){ &m->type, m->row, n };
	m->job = STR("7");
	m->record = (struct record){ .usec = usec, .rows = &m->rows, .n_types = 1, .n_rows = n,
				     .job = &m->job, .n_jobs = 1 };
}

static void put(struct buf *b, const char *encoder, const struct line_node *node,
		const struct part *p, int64_t usec)
{
	const struct line_encoder *e = line_encoder_find(str_of(encoder));
	struct made m;
	assert_non_null(e);
	make(&m, p, usec);
	b->n = 0;
	e->put(b, node, &m.record);
}

static void assert_has(const struct buf *b, const char *line, bool has)
{
	if (str_has_line(buf_str(b), str_of(line)) != has)
		fail_msg("\"%s\" is%s in " STR_FMT, line, has ? " not" : "", STR_ARG(buf_str(b)));
}

static const struct line_label labels[] = {
	{ STR("cluster"), STR("a b") }, { STR("host"), STR("other") },
};

TEST(words_of_influx_escape_separators)
{
	static const struct {
		struct str word;
		const char *want;
	} cases[] = {
		{ STR("a,b=c d"), "a\\,b\\=c\\ d" }, { STR("a\nb"), "a?b" },
		{ STR("a\\b"), "a\\b" }, { STR("a\\"), "a?" }, { STR("z\xc3\xbc"), "z\xc3\xbc" },
		{ STR("\xff"), "?" }, { STR("\x7f"), "?" },
	};
	const struct line_node node = { .host = STR("n1") };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct line_label label = { STR("x"), cases[i].word };
		const struct line_node labelled = { .host = node.host, .label = &label,
						    .n_labels = 1 };
		const struct part p = { "mem", "free", "KB", 1, GAUGE, { "-" }, { 5 } };
		struct buf b CLEANUP(buf_free) = { 0 };
		char want[80];
		snprintf(want, sizeof(want), "mem,host=n1,x=%s free=5i 2000000000", cases[i].want);
		put(&b, "influx", &labelled, &p, 2 * SECOND);
		assert_has(&b, want, true);
	}
}

TEST(influx_omits_too_large_and_missing_values)
{
	const struct line_node node = { .host = STR("n1") };
	struct buf b CLEANUP(buf_free) = { 0 };
	struct part p = { "net", "rx", "B", 1, COUNTER, { "eth0", "eth1" },
			  { INT64_MAX, (uint64_t)INT64_MAX + 1 } };
	put(&b, "influx", &node, &p, 1500000);
	assert_has(&b, "net,host=n1,device=eth0 rx=9223372036854775807i 1500000000", true);
	assert_has(&b, "nodometer_job,host=n1,jobid=7 owns=1i 1500000000", true);
	assert_null(memmem(b.p, b.n, "eth1", 4));
	p.value[1] = MISSING;
	put(&b, "influx", &node, &p, 1500000);
	assert_null(memmem(b.p, b.n, "eth1", 4));
	p.type = "job";
	p.value[1] = 0;
	put(&b, "influx", &node, &p, 1500000);
	assert_has(&b, "job,host=n1,jobid=eth1 rx=0i 1500000000", true);
}

TEST(clustercockpit_has_rates_and_means_of_percentages)
{
	struct rates rates = { 0 };
	const struct line_node node = { .host = STR("n1"), .rates = &rates };
	struct buf b CLEANUP(buf_free) = { 0 };
	struct part p = { "cpu", "user", "cs", 1, COUNTER, { "0", "1" }, { 100, 100 } };
	put(&b, "clustercockpit", &node, &p, 10 * SECOND);
	assert_int_equal(b.n, 0);
	p.value[0] = 300;
	p.value[1] = 700;
	put(&b, "clustercockpit", &node, &p, 20 * SECOND);
	assert_has(&b, "cpu_user,hostname=n1,type=hwthread,type-id=0 value=20 20", true);
	assert_has(&b, "cpu_user,hostname=n1,type=hwthread,type-id=1 value=60 20", true);
	assert_has(&b, "cpu_user,hostname=n1,type=node,type-id=0 value=40 20", true);
	p.value[0] = 310;
	p.value[1] = MISSING;		/* so the mean of the node is unknown */
	put(&b, "clustercockpit", &node, &p, 30 * SECOND);
	assert_has(&b, "cpu_user,hostname=n1,type=hwthread,type-id=0 value=1 30", true);
	assert_null(memmem(b.p, b.n, "type=node", 9));
	p.value[0] = 5;			/* this counter was reset */
	p.value[1] = 800;
	put(&b, "clustercockpit", &node, &p, 40 * SECOND);
	assert_null(memmem(b.p, b.n, "type-id=0 ", 10));
	assert_has(&b, "cpu_user,hostname=n1,type=hwthread,type-id=1 value=5 40", true);
	rates_free(&rates);
}

TEST(clustercockpit_names_the_part_of_a_node_and_converts_units)
{
	const struct line_node node = { .label = labels, .n_labels = 1 };
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct part ib = { "ib", "port_rcv_data", "4B", 4, COUNTER, { "mlx5_0.1" }, { 25 } };
	const struct part load = { "ps", "load_1", "", 1, GAUGE, { "-" }, { 150 } };
	put(&b, "clustercockpit", &node, &ib, SECOND);
	assert_has(&b, "ib_recv,hostname=-,cluster=a\\ b,type=node,type-id=0,stype=infiniband,"
		   "stype-id=mlx5_0.1 value=100 1", true);
	put(&b, "clustercockpit", &node, &load, SECOND);
	assert_has(&b, "load_one,hostname=-,cluster=a\\ b,type=node,type-id=0 value=1.5 1", true);
	const struct part gpu = { "nvidia_gpu", "memused", "B", 1, GAUGE, { "3" }, { 5 << 19 } };
	put(&b, "clustercockpit", &node, &gpu, SECOND);
	assert_has(&b, "acc_mem_used,hostname=-,cluster=a\\ b,type=accelerator,type-id=3 "
		   "value=2.5 1", true);
}

TEST(csv_has_a_line_for_each_value_read)
{
	const struct line_node node = { .host = STR("n,1") };
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct part p = { "net", "rx", "B", 1, COUNTER, { "e\"0", "eth1" },
				{ UINT64_MAX - 1, MISSING } };
	put(&b, "csv", &node, &p, 1500000);
	assert_text(buf_str(&b), STR("1.5,\"n,1\",7,net,\"e\"\"0\",rx,18446744073709551614\n"));
}

static void expose(struct buf *b, const struct line_node *node, const struct part *p,
		   struct exposition_form form)
{
	struct made m;
	make(&m, p, 1500000);
	b->n = 0;
	exposition_put(b, node, &m.record, form);
}

/* The label "host" always names the host of the records. Labels are sorted by name. */
TEST(labels_of_nodometer_win_over_configured_ones)
{
	const struct line_node node = { .host = STR("n1"), .label = labels, .n_labels = 2 };
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct part p = { "ib", "port_rcv_data", "4B", 4, COUNTER, { "mlx5_0.1" }, { 25 } };
	expose(&b, &node, &p, (struct exposition_form){ .openmetrics = true, .timed = true });
	assert_has(&b, "node_infiniband_port_data_received_bytes_total{cluster=\"a b\","
		   "device=\"mlx5_0\",host=\"n1\",port=\"1\"} 100 1.5", true);
	assert_has(&b, "# TYPE node_infiniband_port_data_received_bytes counter", true);
	expose(&b, &node, &p, (struct exposition_form){ .beside = true });
	assert_null(memmem(b.p, b.n, "node_infiniband", 15));
}

TEST(values_of_series_are_in_base_units)
{
	static const struct {
		struct part p;
		const char *line;
	} cases[] = {
		{ { "cpu", "user", "cs", 1, COUNTER, { "0" }, { 250 } },
		  "node_cpu_seconds_total{cpu=\"0\",host=\"n1\",mode=\"user\"} 2.5" },
		{ { "mem", "MemTotal", "KB", 1, GAUGE, { "0", "1" }, { 1, 2 } },
		  "node_memory_MemTotal_bytes{host=\"n1\"} 3072" },
		{ { "psi", "total", "us", 1, COUNTER, { "cpu-some", "other" }, { 5000000, 7 } },
		  "node_pressure_cpu_waiting_seconds_total{host=\"n1\"} 5" },
		{ { "block", "rd_sectors", "512B", 512, COUNTER, { "sda" }, { 2 } },
		  "node_disk_read_bytes_total{device=\"sda\",host=\"n1\"} 1024" },
		{ { "pm_counters", "energy", "J", 1, COUNTER, { "-" }, { 9 } },
		  "nodometer_pm_counters_energy_joules_total{host=\"n1\"} 9" },
		{ { "x", "v", "mC", 1, GAUGE, { "a" }, { 45500 } },
		  "nodometer_x_v_celsius{device=\"a\",host=\"n1\"} 45.5" },
		{ { "x", "v", "kHz", 1, GAUGE, { "a" }, { 2 } },
		  "nodometer_x_v_hertz{device=\"a\",host=\"n1\"} 2000" },
		{ { "x", "v", "MHz", 1, GAUGE, { "a" }, { 2 } },
		  "nodometer_x_v_hertz{device=\"a\",host=\"n1\"} 2000000" },
		{ { "x", "v", "uW", 1, GAUGE, { "a" }, { 1500 } },
		  "nodometer_x_v_watts{device=\"a\",host=\"n1\"} 0.0015" },
		{ { "x", "v", "mW", 1, GAUGE, { "a" }, { 1500 } },
		  "nodometer_x_v_watts{device=\"a\",host=\"n1\"} 1.5" },
		{ { "x", "v", "ns", 1, COUNTER, { "a" }, { 5000 } },
		  "nodometer_x_v_seconds_total{device=\"a\",host=\"n1\"} 5e-06" },
		{ { "x", "v", "MB", 1, GAUGE, { "a" }, { 3 } },
		  "nodometer_x_v_bytes{device=\"a\",host=\"n1\"} 3145728" },
		{ { "xrootd_server", "started", "s", 1, GAUGE, { "a" }, { 7 } },
		  "nodometer_xrootd_server_started_seconds{device=\"a\",host=\"n1\"} 7" },
	};
	const struct line_node node = { .host = STR("n1") };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		struct part p = cases[i].p;
		if (p.scale > 1)
			p.unit = "B";
		expose(&b, &node, &p, (struct exposition_form){ .openmetrics = false });
		assert_has(&b, cases[i].line, true);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(words_of_influx_escape_separators),
	    cmocka_unit_test(influx_omits_too_large_and_missing_values),
	    cmocka_unit_test(clustercockpit_has_rates_and_means_of_percentages),
	    cmocka_unit_test(clustercockpit_names_the_part_of_a_node_and_converts_units),
	    cmocka_unit_test(csv_has_a_line_for_each_value_read),
	    cmocka_unit_test(labels_of_nodometer_win_over_configured_ones),
	    cmocka_unit_test(values_of_series_are_in_base_units));
}
