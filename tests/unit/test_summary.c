/* SPDX-License-Identifier: BSD-3-Clause */
/* test_summary.c - summarise a node's work during a job, and name values that are unknown */
#include "tests/unit/test.h"

#include <stdio.h>
#include <string.h>
#include "figures/usual.h"
#include "tests/unit/summary_node.h"

TEST(every_figure_is_a_key_of_a_type_in_its_unit)
{
	static const struct {
		const char *unit;
		double scale;
	} units[] = {
		{ "cs", .01 }, { "KB", 1024 }, { "512B", 512 }, { "4B", 4 }, { "B", 1 },
		{ "us", 1e-6 }, { "mJ", 1e-3 }, { "uJ", 1e-6 },
	};
	for (size_t f = 0; f < n_figures; f++) {
		const struct figure *is = &figures[f];
		unsigned scale;
		if (!is->summary)
			continue;
		size_t t = type_of(is->type);
		const struct metric *m = &types[t]->metrics[key_of(t, is->key)];
		const char *unit = metric_unit_split(m->unit, &scale);
		double one = figure_scale(is, unit, scale);
		assert_int_equal(m->kind, figure_is_counter(is) ? COUNTER : GAUGE);
		for (size_t i = 0; i < ARRAY_SIZE(is->less) && is->less[i]; i++)
			assert_string_equal(
				types[t]->metrics[key_of(t, is->less[i])].unit, m->unit);
		for (size_t i = 0; i < ARRAY_SIZE(units); i++)
			if (strcmp(units[i].unit, m->unit) == 0)
				assert_true(one == units[i].scale);
	}
}

/* A misspelt name would never be shown. */
TEST(every_name_of_the_line_and_every_panel_is_in_its_list)
{
	for (size_t f = 0; f < n_figures; f++) {
		bool name = !figures[f].summary, panel = !figures[f].panel;
		for (size_t i = 0; i < n_summary_names && !name; i++)
			name = strcmp(summary_names[i], figures[f].summary) == 0;
		for (size_t i = 0; i < n_usual_panels && !panel; i++)
			panel = strcmp(usual_panels[i].title, figures[f].panel) == 0;
		assert_true(name);
		assert_true(panel);
	}
}

TEST(counters_are_summed_over_devices_from_begin_to_end)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "net", "eth0", "rx_bytes", 1000);
	put(&n, "net", "eth1", "rx_bytes", 5);
	put(&n, "net", "lo", "rx_bytes", 7);
	begin(&n, "7");
	put(&n, "net", "eth0", "rx_bytes", 1500);
	put(&n, "net", "eth1", "rx_bytes", 5);
	put(&n, "net", "lo", "rx_bytes", 70000);
	take(&n);
	put(&n, "net", "eth1", "rx_bytes", 25);
	put(&n, "net", "eth0", "rx_bytes", 2000);
	put(&n, "net", "lo", "rx_bytes", 80000);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") WHOLE ",\"net_rx\":1020}");
}

static void swap_types(struct node *n, size_t a, size_t b)
{
	struct type_state kept = n->sampler.type[a];

	n->sampler.type[a] = n->sampler.type[b];
	n->sampler.type[b] = kept;
	free(n->live.type[a].key);
	free(n->live.type[b].key);
	n->live.type[a].key = n->live.type[b].key = NULL;
}

/* A reload frees the types, and a new type may get the address of an old one. */
TEST(a_type_at_the_address_of_another_is_counted)
{
	struct node n CLEANUP(node_free);
	size_t net = type_of("net"), ps = type_of("ps");

	node_open(&n);
	put(&n, "net", "eth0", "rx_bytes", 1000);
	put(&n, "ps", "-", "processes", 5);
	begin(&n, "7");
	job_summary_forget_types(&n.summary);
	swap_types(&n, net, ps);
	row_set(rows_add(&n.sampler.type[ps].source.rows, STR("eth0")), key_of(net, "rx_bytes"),
		1500);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") WHOLE ",\"net_rx\":500}");
}

TEST(a_value_that_this_node_lacks_is_not_zero)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	begin(&n, "7");
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") WHOLE "}");
}

TEST(rows_of_one_name_are_one_figure_in_its_unit)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "intel_rapl", "0", "pkg_energy", 1000);
	put(&n, "intel_rapl", "1", "dram_energy", 1000);
	begin(&n, "7");
	put(&n, "intel_rapl", "0", "pkg_energy", 251000);
	put(&n, "intel_rapl", "1", "dram_energy", 2500);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") WHOLE ",\"energy\":251.5}");
}

TEST(the_energy_of_a_node_is_that_of_its_controller)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "intel_rapl", "0", "pkg_energy", 1000);
	put(&n, "pm_counters", "-", "energy", 52890147);
	begin(&n, "7");
	put(&n, "intel_rapl", "0", "pkg_energy", 251000);
	put(&n, "pm_counters", "-", "energy", 52891247);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") WHOLE ",\"energy\":250,\"node_energy\":1100}");
}

static void set_factors(struct node *n)
{
	assert_true(factors_set(&n->factors, STR("carbon"), STR("250")));
	assert_true(factors_set(&n->factors, STR("price"), STR("0.5")));
	assert_true(factors_set(&n->factors, STR("pue"), STR("1.25")));
}

TEST(costs_are_those_of_the_whole_node)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	set_factors(&n);
	put(&n, "pm_counters", "-", "energy", 52890147);
	put(&n, "intel_rapl", "0", "pkg_energy", 1000000);
	begin(&n, "7");
	put(&n, "pm_counters", "-", "energy", 52890147 + 7200000);
	put(&n, "intel_rapl", "0", "pkg_energy", 2000000);
	end(&n, "7");
	n.line.n = 0;
	job_summary_put(&n.summary, STR("7"), "n1", 61500000, &n.factors, &n.line);
	assert_non_null(memmem(n.line.p, n.line.n,
			       "\"kwh\":2.5,\"co2_grams\":625,\"price\":1.25,", 39));
	n.line.n = 0;	/* without the last sample's time, the grid's CO2 is unknown, too */
	job_summary_put(&n.summary, STR("7"), "n1", 0, &n.factors, &n.line);
	assert_non_null(memmem(n.line.p, n.line.n, "\"kwh\":2.5,\"price\":1.25,", 23));
	factors_free(&n.factors);
}

TEST(without_the_energy_of_the_node_costs_are_of_packages_and_gpus)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	assert_true(factors_set(&n.factors, STR("price"), STR("2")));
	put(&n, "nvidia_gpu", "0", "energy", 1000);
	begin(&n, "7");
	put(&n, "nvidia_gpu", "0", "energy", 1000 + 7200000000);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") WHOLE ",\"kwh\":2,\"price\":4,\"gpu_energy\":7.2e+06}");
	factors_free(&n.factors);
}

TEST(costs_are_left_out_if_energy_is_unknown_or_jobs_share_the_node)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	set_factors(&n);
	put(&n, "pm_counters", "-", "energy", 5000);
	begin(&n, "7");
	begin(&n, "8");
	put(&n, "pm_counters", "-", "energy", 9000);
	end(&n, "7");
	n.line.n = 0;
	job_summary_put(&n.summary, STR("7"), "n1", 61500000, &n.factors, &n.line);
	assert_null(memmem(n.line.p, n.line.n, "kwh", 3));
	job_summary_forget(&n.summary, STR("7"));
	put(&n, "pm_counters", "-", "energy", 10);
	end(&n, "8");
	n.line.n = 0;
	job_summary_put(&n.summary, STR("8"), "n1", 61500000, &n.factors, &n.line);
	assert_null(memmem(n.line.p, n.line.n, "kwh", 3));
	factors_free(&n.factors);
}

TEST(a_counter_that_is_reset_is_left_out)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "net", "eth0", "rx_bytes", 1000);
	put(&n, "block", "sda", "rd_sectors", 1000);
	begin(&n, "7");
	put(&n, "net", "eth0", "rx_bytes", 10);
	put(&n, "block", "sda", "rd_sectors", 1001);
	take(&n);
	put(&n, "net", "eth0", "rx_bytes", 20);
	put(&n, "block", "sda", "rd_sectors", 1002);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") LACKS ",\"disk_read\":1024}");
}

TEST(a_counter_that_fell_in_the_last_sample_is_left_out)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "net", "eth0", "rx_bytes", 1000);
	begin(&n, "7");
	put(&n, "net", "eth0", "rx_bytes", 499);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") LACKS "}");
}

TEST(a_counter_that_fell_and_came_back_is_whole)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "net", "eth0", "rx_bytes", 1000);
	begin(&n, "7");
	put(&n, "net", "eth0", "rx_bytes", 0);
	take(&n);
	put(&n, "net", "eth0", "rx_bytes", 1100);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") WHOLE ",\"net_rx\":100}");
}

TEST(a_counter_that_decreased_a_little_is_whole)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "net", "eth0", "rx_bytes", 1000);
	begin(&n, "7");
	put(&n, "net", "eth0", "rx_bytes", 1010);
	take(&n);
	put(&n, "net", "eth0", "rx_bytes", 1009);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") WHOLE ",\"net_rx\":10}");
}

TEST(a_job_that_begins_after_a_counter_fell_lacks_the_counter)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "net", "eth0", "rx_bytes", 1000);
	begin(&n, "7");
	put(&n, "net", "eth0", "rx_bytes", 400);
	begin(&n, "8");
	put(&n, "net", "eth0", "rx_bytes", 2000);
	end(&n, "8");
	assert_line(&n, "8", HEAD("8") ",\"shared\":true" LACKS "}");
}

TEST(a_counter_that_was_reopened_is_left_out)
{
	static const struct str restart = STR("%counters_restart intel_rapl\n");
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "intel_rapl", "0", "pkg_energy", 1000);
	buf_add(&n.sampler.restarts, restart);
	begin(&n, "7");
	put(&n, "intel_rapl", "0", "pkg_energy", 2000);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") WHOLE ",\"energy\":1}");
	begin(&n, "8");
	put(&n, "intel_rapl", "0", "pkg_energy", 3000);
	buf_add(&n.sampler.restarts, restart);
	end(&n, "8");
	put(&n, "intel_rapl", "0", "pkg_energy", 4000);
	take(&n);
	assert_line(&n, "7", HEAD("7") LACKS "}");
}

TEST(devices_that_come_or_go_make_a_value_partial)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "net", "eth0", "rx_bytes", 100);
	put(&n, "net", "eth0", "tx_bytes", 100);
	put(&n, "block", "sda", "rd_sectors", 1);
	put(&n, "block", "sdb", "rd_sectors", 1);
	begin(&n, "7");
	put(&n, "net", "eth0", "rx_bytes", 200);
	put(&n, "net", "eth7", "rx_bytes", 50);
	put(&n, "block", "sda", "rd_sectors", 3);
	put(&n, "block", "sdb", "rd_sectors", 3);
	take(&n);
	put(&n, "net", "eth0", "rx_bytes", 300);
	put(&n, "net", "eth7", "rx_bytes", 70);
	put(&n, "block", "sdb", "rd_sectors", 4);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") LACKS ",\"disk_read\":2560,\"net_rx\":220,\"net_tx\":0"
		    ",\"partial\":[\"disk_read\",\"net_rx\",\"net_tx\"]}");
}

TEST(a_device_that_was_gone_before_is_not_missing_in_the_job)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put(&n, "net", "eth0", "rx_bytes", 100);
	put(&n, "net", "veth", "rx_bytes", 100);
	begin(&n, "7");
	put(&n, "net", "eth0", "rx_bytes", 300);
	begin(&n, "8");
	put(&n, "net", "eth0", "rx_bytes", 700);
	end(&n, "8");
	assert_line(&n, "8", HEAD("8") ",\"shared\":true" WHOLE ",\"net_rx\":400}");
}

static void put_gpu(struct node *n, const char *device, uint64_t busy, uint64_t mJ)
{
	size_t t = type_of("nvidia_gpu");
	struct row row = rows_add(&n->sampler.type[t].source.rows, str_of(device));
	row_set(row, key_of(t, "utilization"), busy);
	row_set(row, key_of(t, "energy"), mJ);
}

TEST(gauges_are_averaged_between_the_first_and_the_last_sample)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put_gpu(&n, "0", 0, 1000);
	put_gpu(&n, "1", 100, 1000);
	begin(&n, "7");
	put_gpu(&n, "0", 100, 2000);
	put_gpu(&n, "1", 50, 2000);
	take(&n);
	put_gpu(&n, "0", 100, 3000);
	put_gpu(&n, "1", 100, 3000);
	n.seconds = 600;
	take(&n);
	n.seconds = 60;
	put_gpu(&n, "0", 0, 4000);
	put_gpu(&n, "1", 0, 4000);
	end(&n, "7");
	/* the mean of 60 s at 1.25, 600 s at 1.75 and 60 s at 1 */
	assert_line(&n, "7", HEAD("7") WHOLE ",\"gpu_energy\":6,\"gpu_busy\":1.646}");
}

TEST(a_gauge_without_a_sample_in_between_is_left_out)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put_gpu(&n, "0", 0, 1000);
	begin(&n, "7");
	put_gpu(&n, "0", 50, 2000);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") LACKS ",\"gpu_energy\":1}");
}

static void put_mem(struct node *n, uint64_t used, uint64_t cache)
{
	size_t t = type_of("mem");
	struct row row = rows_add(&n->sampler.type[t].source.rows, STR("0"));
	row_set(row, key_of(t, "MemUsed"), used);
	row_set(row, key_of(t, "FilePages"), cache);
	row_set(row, key_of(t, "Slab"), 1);
}

TEST(memory_is_the_largest_without_the_page_cache)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put_mem(&n, 90000, 1);
	begin(&n, "7");
	put_mem(&n, 5001, 1000);
	take(&n);
	put_mem(&n, 9001, 7000);
	take(&n);
	put_mem(&n, 90000, 1);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") WHOLE ",\"mem_peak\":4.096e+06}");
}

TEST(figures_of_the_jobs_own_group_need_no_begin)
{
	struct node n CLEANUP(node_free);
	static struct jobs jobs;
	node_open(&n);
	jobs = (struct jobs){ 0 };
	assert_int_equal(jobs_add(&jobs, STR("7"), 1000000, JOB_FROM_HOOK), 0);
	job_summary_keep(&n.summary, &jobs);
	put(&n, "job", "6", "cpu", 400);
	put(&n, "job", "7", "cpu", 2000000);
	put(&n, "net", "eth0", "rx_bytes", 100);
	take(&n);
	put(&n, "job", "7", "cpu", 2500000);
	put(&n, "net", "eth0", "rx_bytes", 200);
	end(&n, "7");
	assert_line(&n, "7", HEAD("7") LACKS ",\"job_cpu\":2.5}");
	take(&n);	/* a sample after the job's cgroup has gone */
	assert_line(&n, "7", HEAD("7") LACKS ",\"job_cpu\":2.5,\"partial\":[\"job_cpu\"]}");
}

TEST(jobs_that_another_process_began_again_are_new_jobs)
{
	struct node n CLEANUP(node_free);
	static struct jobs jobs;
	node_open(&n);
	jobs = (struct jobs){ 0 };
	put(&n, "net", "eth0", "rx_bytes", 100);
	begin(&n, "7");
	assert_int_equal(jobs_add(&jobs, STR("7"), 1000000, JOB_FROM_HOOK), 0);
	assert_int_equal(jobs_add(&jobs, STR("8"), 1000000, JOB_FROM_HOOK), 0);
	job_summary_keep(&n.summary, &jobs);
	assert_int_equal(n.summary.n, 2);
	put(&n, "net", "eth0", "rx_bytes", 200);
	take(&n);
	assert_line(&n, "7", HEAD("7") ",\"shared\":true" WHOLE ",\"net_rx\":100}");
	assert_line(&n, "8", HEAD("8") ",\"shared\":true" LACKS "}");
	jobs.job[0].since_us = 2000000;
	job_summary_keep(&n.summary, &jobs);
	assert_line(&n, "7", "{\"job\":\"7\",\"host\":\"n1\",\"end\":61,\"elapsed_s\":59.5"
		    LACKS "}");
	jobs.n = 0;
	job_summary_keep(&n.summary, &jobs);
	assert_int_equal(n.summary.n, 0);
	assert_line(&n, "7", "{\"job\":\"7\",\"host\":\"n1\",\"end\":61" LACKS "}");
}

TEST(jobs_that_abut_share_nothing)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	begin(&n, "7");
	job_summary_end(&n.summary, STR("7"));
	begin(&n, "8");
	assert_line(&n, "7", HEAD("7") WHOLE "}");
	job_summary_forget(&n.summary, STR("7"));
	end(&n, "8");
	assert_line(&n, "8", HEAD("8") WHOLE "}");
	job_summary_forget(&n.summary, STR("8"));
	assert_null(n.summary.job);
}

/* Add a row of each type. Every key of the rows has this value. */
static void put_all(struct node *n, const char *id, uint64_t v)
{
	for (size_t t = 0; t < n_collectors; t++) {
		const char *device = strcmp(types[t]->name, "job") == 0 ? id : "dev";
		struct row row = rows_add(&n->sampler.type[t].source.rows, str_of(device));
		for (size_t k = 0; k < types[t]->n_metrics; k++)
			row_set(row, k, v);
	}
}

static void try_id(const char *id, const char *host, bool whole)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put_all(&n, id, 1);
	begin(&n, id);
	put_all(&n, id, 123456789012);
	take(&n);
	put_all(&n, id, 123456789012);
	end(&n, id);
	job_summary_put(&n.summary, str_of(id), host, 1763735479000000, &n.factors,
			&n.line);
	assert_true(n.line.n < SUMMARY_MAX);
	assert_int_equal(n.line.p[n.line.n - 1], '}');
	struct str line = buf_str(&n.line);
	assert_true(str_starts(line, STR("{\"job\":\"")));
	assert_non_null(memmem(line.p, line.n, "\"complete\":false", 16));
	assert_int_equal(memmem(line.p, line.n, id, strlen(id)) != NULL, whole);
}

TEST(no_line_is_longer_than_400_bytes)
{
	char plain[JOB_ID_MAX + 1], quotes[JOB_ID_MAX + 1], binary[JOB_ID_MAX + 1], host[256];
	memset(plain, 'x', JOB_ID_MAX);
	memset(quotes, '"', JOB_ID_MAX);
	memset(binary, '\xff', JOB_ID_MAX);
	memset(host, 'h', sizeof(host) - 1);
	plain[JOB_ID_MAX] = quotes[JOB_ID_MAX] = binary[JOB_ID_MAX] = host[255] = '\0';
	try_id("7", "n1", true);
	try_id("7", host, true);
	try_id(plain, host, true);
	try_id(plain, "n1", true);
	try_id(quotes, host, false);	/* the line has the id with backslashes */
	try_id(quotes, "n1", false);
	try_id(binary, host, false);
}

TEST(values_that_have_no_room_are_left_out_from_the_end)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	put_all(&n, "7", 1);
	begin(&n, "7");
	put_all(&n, "7", 123456789012);
	take(&n);
	put_all(&n, "7", 123456789012);
	end(&n, "7");
	job_summary_put(&n.summary, STR("7"), "n1", 61500000, &n.factors, &n.line);
	struct str line = buf_str(&n.line);
	assert_true(line.n > SUMMARY_MAX - 30);
	assert_non_null(memmem(line.p, line.n, "\"cpu_user\":2.469e+09", 20));
	assert_non_null(memmem(line.p, line.n, "\"disk_read\":", 12));
	assert_null(memmem(line.p, line.n, "\"swapped_out\":", 14));
}

TEST(a_type_with_too_many_devices_is_lacking)
{
	struct node n CLEANUP(node_free);
	char name[32];
	node_open(&n);
	for (int twice = 0; twice < 2; twice++) {
		for (int i = 0; i <= SUMMARY_DEVICES_MAX; i++) {
			snprintf(name, sizeof(name), "eth%d", i);
			put(&n, "net", name, "rx_bytes", 100);
		}
		(twice == 0 ? begin : end)(&n, "7");
	}
	assert_line(&n, "7", HEAD("7") LACKS "}");
}

int main(void)
{
	RUN(cmocka_unit_test(the_energy_of_a_node_is_that_of_its_controller),
	    cmocka_unit_test(costs_are_those_of_the_whole_node),
	    cmocka_unit_test(without_the_energy_of_the_node_costs_are_of_packages_and_gpus),
	    cmocka_unit_test(costs_are_left_out_if_energy_is_unknown_or_jobs_share_the_node),
	    cmocka_unit_test(every_figure_is_a_key_of_a_type_in_its_unit),
	    cmocka_unit_test(every_name_of_the_line_and_every_panel_is_in_its_list),
	    cmocka_unit_test(counters_are_summed_over_devices_from_begin_to_end),
	    cmocka_unit_test(a_type_at_the_address_of_another_is_counted),
	    cmocka_unit_test(a_value_that_this_node_lacks_is_not_zero),
	    cmocka_unit_test(rows_of_one_name_are_one_figure_in_its_unit),
	    cmocka_unit_test(a_counter_that_is_reset_is_left_out),
	    cmocka_unit_test(a_counter_that_fell_in_the_last_sample_is_left_out),
	    cmocka_unit_test(a_counter_that_fell_and_came_back_is_whole),
	    cmocka_unit_test(a_counter_that_decreased_a_little_is_whole),
	    cmocka_unit_test(a_job_that_begins_after_a_counter_fell_lacks_the_counter),
	    cmocka_unit_test(a_counter_that_was_reopened_is_left_out),
	    cmocka_unit_test(devices_that_come_or_go_make_a_value_partial),
	    cmocka_unit_test(a_device_that_was_gone_before_is_not_missing_in_the_job),
	    cmocka_unit_test(gauges_are_averaged_between_the_first_and_the_last_sample),
	    cmocka_unit_test(a_gauge_without_a_sample_in_between_is_left_out),
	    cmocka_unit_test(memory_is_the_largest_without_the_page_cache),
	    cmocka_unit_test(figures_of_the_jobs_own_group_need_no_begin),
	    cmocka_unit_test(jobs_that_another_process_began_again_are_new_jobs),
	    cmocka_unit_test(jobs_that_abut_share_nothing),
	    cmocka_unit_test(no_line_is_longer_than_400_bytes),
	    cmocka_unit_test(values_that_have_no_room_are_left_out_from_the_end),
	    cmocka_unit_test(a_type_with_too_many_devices_is_lacking));
}
