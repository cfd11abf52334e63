/* SPDX-License-Identifier: BSD-3-Clause */
/* test_top.c - compute rates and levels between two moments, and show them as page and JSON */
#include "tests/unit/tree.h"
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "agent/control.h"
#include "top/view.h"

static const struct record_key net_keys[] = {
	{ .name = "rx_bytes", .unit = "B", .kind = COUNTER, .bits = 64, .scale = 1 },
	{ .name = "tx_bytes", .unit = "B", .kind = COUNTER, .bits = 32, .scale = 1 },
};
static const struct record_type net = { "net", net_keys, ARRAY_SIZE(net_keys) };
static const struct record_key gpu_keys[] = {
	{ .name = "utilization", .unit = "", .kind = GAUGE, .bits = 64, .scale = 1 },
	{ .name = "power", .unit = "mW", .kind = GAUGE, .bits = 64, .scale = 1 },
};
static const struct record_type gpu = { "nvidia_gpu", gpu_keys, ARRAY_SIZE(gpu_keys) };

struct given {
	uint64_t net[2][2], gpu[2], gpu_has;
};

/*
 * Fill a moment at time `at`, in seconds, from a record with these values. before: the previous
 * moment, or an empty one.
 */
static void take(struct top_moment *m, const struct top_moment *before, int64_t at,
		 const struct given *g)
{
	struct record_row eth[] = {
		{ .device = STR("eth0"), .value = g->net[0] },
		{ .device = STR("eth1\\040x"), .value = g->net[1] },
	};
	struct record_row board = { .device = STR("0"), .value = g->gpu, .present = &g->gpu_has };
	struct record_rows rows[] = { { &net, eth, 2 }, { &gpu, &board, 1 } };
	struct record r = { .usec = at * 1000000, .rows = rows, .n_types = 2, .n_rows = 3 };
	top_moment_take(m, before, &r);
}

static double now(const struct top_moment *m, const char *type, const char *device,
		  const char *key)
{
	const struct top_type *t = top_type_find(type);
	const struct top_device *d = top_moment_find(m, t, str_of(device));
	assert_non_null(d);
	return d->now[top_key_find(t, key)];
}

static const struct given first = { { { 1000, 4294967000 }, { 7, 7 } }, { 50, 250000 }, 3 };

TEST(counters_are_rates_and_gauges_are_levels)
{
	struct top_moment a = { 0 }, b = { 0 };
	take(&a, &(struct top_moment){ 0 }, 100, &first);
	assert_true(isnan(now(&a, "net", "eth0", "rx_bytes")));
	assert_true(now(&a, "nvidia_gpu", "0", "utilization") == 50);

	take(&b, &a, 102, &(struct given){ { { 3000, 704 }, { 3, 7 } }, { 60, 1000 }, 1 });
	assert_true(b.seconds == 2);
	assert_true(now(&b, "net", "eth0", "rx_bytes") == 1000);
	/* the counter wrapped at 2^32 */
	assert_true(now(&b, "net", "eth0", "tx_bytes") == 500);
	assert_true(isnan(now(&b, "net", "eth1\\040x", "rx_bytes")));	/* the counter fell */
	assert_true(now(&b, "net", "eth1\\040x", "tx_bytes") == 0);
	/* the value was not read */
	assert_true(isnan(now(&b, "nvidia_gpu", "0", "power")));
	/* the key is not in the schema */
	assert_true(isnan(now(&b, "net", "eth0", "rx_packets")));
	assert_true(top_moment_sum(&b, "net", "tx_bytes") == 500);
	assert_true(isnan(top_moment_sum(&b, "cpu", "user")));
	assert_int_equal(top_moment_count(&b, "net"), 2);
	top_moment_free(&a);
	top_moment_free(&b);
}

TEST(a_counter_that_decreases_a_little_counts_nothing_until_it_is_back)
{
	struct top_moment a = { 0 }, b = { 0 };
	take(&a, &(struct top_moment){ 0 }, 100, &first);
	take(&b, &a, 101, &(struct given){ { { 999, 0 }, { 7, 7 } }, { 0 }, 1 });
	assert_true(now(&b, "net", "eth0", "rx_bytes") == 0);
	take(&a, &b, 102, &(struct given){ { { 1000, 0 }, { 7, 7 } }, { 0 }, 1 });
	assert_true(now(&a, "net", "eth0", "rx_bytes") == 0);
	take(&b, &a, 103, &(struct given){ { { 1005, 0 }, { 7, 7 } }, { 0 }, 1 });
	assert_true(now(&b, "net", "eth0", "rx_bytes") == 5);
	top_moment_free(&a);
	top_moment_free(&b);
}

static bool shows(const struct top_view *v, const char *text)
{
	struct page p = { 0 };
	struct buf b CLEANUP(buf_free) = { 0 };
	top_view_make(v, &p);
	page_put(&p, &b);
	page_free(&p);
	buf_add_char(&b, '\0');
	return strstr(b.p, text);
}

TEST(the_page_shows_the_requested_view)
{
	struct top_moment a = { 0 };
	struct top_agent agent = { .cpus = NAN, .rss = NAN };
	struct top_view v = { .host = "n1", .now = &a, .agent = &agent };
	take(&a, &(struct top_moment){ 0 }, 100, &first);
	assert_true(shows(&v, "eth0"));
	assert_true(shows(&v, "nvidia_gpu            BUSY %    MEM GB     OF GB   POWER W\n"
			      "0                       50.0         -         -     250.0\n"));
	assert_true(shows(&v, "Agent   does not run"));
	str_copy(v.filter, sizeof(v.filter), STR("eth1"));
	assert_false(shows(&v, "eth0"));
	assert_true(shows(&v, "eth1"));
	v.help = true;
	assert_false(shows(&v, "eth1 "));
	assert_true(shows(&v, "quit"));
	top_moment_free(&a);
}

TEST(the_page_shows_unknown_values_and_short_intervals)
{
	struct top_moment a = { 0 };
	struct top_agent agent = { .runs = true, .interval_us = 20000, .cpus = NAN, .rss = NAN };
	struct top_view v = { .host = "n1", .now = &a, .agent = &agent };
	take(&a, &(struct top_moment){ 0 }, 100, &first);
	assert_true(shows(&v, "n1   load - - -, - of - threads run"));
	assert_true(shows(&v, "Agent   - % of a CPU, - MB, every 0.02 s, last sample - s ago"));
	agent.interval_us = 86400000000;
	assert_true(shows(&v, "every 86400 s"));
	top_moment_free(&a);
}

TEST(the_filter_applies_to_jobs_without_a_control_group)
{
	struct top_moment a = { 0 };
	struct top_job jobs[] = { { STR("41"), 90000000 }, { STR("142"), 40000000 } };
	struct top_agent agent = { .runs = true, .job = jobs, .n = 2, .cpus = NAN, .rss = NAN };
	struct top_view v = { .host = "n1", .now = &a, .agent = &agent };
	take(&a, &(struct top_moment){ 0 }, 100, &first);
	assert_true(shows(&v, "job 41: without a control group here, for 10.0 s"));
	assert_true(shows(&v, "job 142: without a control group here, for 60.0 s"));
	str_copy(v.filter, sizeof(v.filter), STR("42"));
	assert_false(shows(&v, "job 41"));
	assert_true(shows(&v, "job 142"));
	top_moment_free(&a);
}

TEST(the_busiest_come_first)
{
	struct top_moment a = { 0 }, b = { 0 };
	struct top_agent agent = { 0 };
	struct top_view v = { .now = &b, .agent = &agent, .order = TOP_BY_ACTIVITY };
	const struct top_device *list[8];
	take(&a, &(struct top_moment){ 0 }, 100, &first);
	take(&b, &a, 101, &(struct given){ { { 1001, 4294967000 }, { 9, 7 } } });
	assert_int_equal(top_view_list(&v, top_type_find("net"), list), 2);
	assert_string_equal(list[0]->name, "eth1\\040x");
	v.order = TOP_BY_NAME;
	top_view_list(&v, top_type_find("net"), list);
	assert_string_equal(list[0]->name, "eth0");
	top_moment_free(&a);
	top_moment_free(&b);
}

TEST(json_leaves_out_unknown_values)
{
	struct top_moment a = { 0 };
	struct top_agent agent = { .runs = true, .pid = 7, .cpus = NAN, .rss = 4096 };
	struct top_view v = { .host = "n1", .now = &a, .agent = &agent };
	struct buf b CLEANUP(buf_free) = { 0 };
	take(&a, &(struct top_moment){ 0 }, 100, &first);
	top_view_put_json(&v, &b);
	buf_add_char(&b, '\0');
	assert_non_null(strstr(b.p, "\"nvidia_gpu\":[{\"device\":\"0\",\"utilization\":50,"
				    "\"power\":250}]"));
	assert_non_null(strstr(b.p, "\"net\":[{\"device\":\"eth0\"},"));
	assert_non_null(strstr(b.p, "\"agent\":{\"pid\":7,\"samples\":false,\"rss\":4096,"));
	top_moment_free(&a);
}

/* Make a moment from a record of one type with one device. */
static void take_one(struct top_moment *m, const struct top_moment *before, int64_t at,
		     const struct record_type *type, const uint64_t *value, uint64_t present)
{
	struct record_row row = { .device = STR("-"), .value = value, .present = &present };
	struct record_rows rows = { type, &row, 1 };
	struct record r = { .usec = at * 1000000, .rows = &rows, .n_types = 1, .n_rows = 1 };
	top_moment_take(m, before, &r);
}

TEST(a_rate_needs_a_reading_before_and_time_in_between)
{
	static const uint64_t value[] = { 1000, 50 }, later[] = { 3000, 70 };
	struct top_moment a = { 0 }, b = { 0 };
	take_one(&a, &(struct top_moment){ 0 }, 100, &net, value, 2);	/* rx_bytes was not read */
	take_one(&b, &a, 102, &net, later, 3);
	assert_true(isnan(now(&b, "net", "-", "rx_bytes")));
	assert_true(now(&b, "net", "-", "tx_bytes") == 10);
	take_one(&b, &a, 100, &net, later, 3);
	assert_true(isnan(now(&b, "net", "-", "tx_bytes")));
	top_moment_free(&a);
	top_moment_free(&b);
}

/* A counter that fell makes its device's rate unknown: the device comes after an idle one. */
TEST(what_is_not_known_comes_after_what_is_idle)
{
	struct top_moment a = { 0 }, b = { 0 };
	struct top_agent agent = { 0 };
	struct top_view v = { .now = &b, .agent = &agent, .order = TOP_BY_ACTIVITY };
	const struct top_device *list[8];
	take(&a, &(struct top_moment){ 0 }, 100, &first);
	take(&b, &a, 101, &(struct given){ { { 1, 4294967000 }, { 7, 7 } } });
	assert_true(isnan(now(&b, "net", "eth0", "rx_bytes")));
	assert_int_equal(top_view_list(&v, top_type_find("net"), list), 2);
	assert_string_equal(list[0]->name, "eth1\\040x");
	assert_string_equal(list[1]->name, "eth0");
	top_moment_free(&a);
	top_moment_free(&b);
}

static const struct record_key job_keys[] = {
	{ .name = "mem", .unit = "B", .kind = GAUGE, .bits = 64, .scale = 1 },
	{ .name = "mem_limit", .unit = "B", .kind = GAUGE, .bits = 64, .scale = 1 },
};
static const struct record_type job = { "job", job_keys, ARRAY_SIZE(job_keys) };
static const struct record_key mem_keys[] = {
	{ .name = "MemTotal", .unit = "KB", .kind = GAUGE, .bits = 64, .scale = 1 },
	{ .name = "MemFree", .unit = "KB", .kind = GAUGE, .bits = 64, .scale = 1 },
	{ .name = "FilePages", .unit = "KB", .kind = GAUGE, .bits = 64, .scale = 1 },
};
static const struct record_type mem = { "mem", mem_keys, ARRAY_SIZE(mem_keys) };

static const struct record_key opa_keys[] = {
	{ .name = "PortRcvData", .unit = "", .kind = COUNTER, .bits = 64, .scale = 1 },
	{ .name = "PortXmitData", .unit = "", .kind = COUNTER, .bits = 64, .scale = 1 },
};
static const struct record_type opa = { "opa", opa_keys, ARRAY_SIZE(opa_keys) };

TEST(omni_path_counts_flits_of_eight_bytes)
{
	static const uint64_t value[] = { 1000, 0 }, later[] = { 3000, 500 };
	struct top_moment a = { 0 }, b = { 0 };
	take_one(&a, &(struct top_moment){ 0 }, 100, &opa, value, 3);
	take_one(&b, &a, 102, &opa, later, 3);
	assert_true(now(&b, "opa", "-", "PortRcvData") == 8000);
	assert_true(now(&b, "opa", "-", "PortXmitData") == 2000);
	top_moment_free(&a);
	top_moment_free(&b);
}

TEST(a_job_without_a_limit_of_memory_shows_none)
{
	static const uint64_t value[] = { 2000000000, 9223372036854771712u };
	struct top_moment a = { 0 };
	struct top_agent agent = { 0 };
	struct top_view v = { .host = "n1", .now = &a, .agent = &agent };
	take_one(&a, &(struct top_moment){ 0 }, 100, &job, value, 3);
	assert_true(shows(&v, "-                          -      2.00         -         -"));
	top_moment_free(&a);
}

TEST(used_memory_is_known_without_the_slab)
{
	static const uint64_t value[] = { 8000000, 2000000, 1000000 };
	struct top_moment a = { 0 };
	struct top_agent agent = { 0 };
	struct top_view v = { .host = "n1", .now = &a, .agent = &agent };
	take_one(&a, &(struct top_moment){ 0 }, 100, &mem, value, 7);
	assert_true(shows(&v, "Memory   5.12 of 8.19 GB used, 1.02 GB are page cache"));
	top_moment_free(&a);
}

/* Let an agent with this pid, which used this many ticks of CPU time, answer one question. */
static void look_at_agent(struct top_agent *a, const struct tree *t, int listen_fd, unsigned pid,
			  unsigned ticks)
{
	char path[64], text[128], request[CONTROL_REQUEST_MAX];
	struct files root;
	snprintf(path, sizeof(path), "proc/%u/stat", pid);
	snprintf(text, sizeof(text), "%u (nodometerd) S 1 1 1 0 -1 0 0 0 0 0 %u 0 0 0 20 0 1 0 5 "
		 "9000 25\n", pid, ticks);
	tree_put(t, path, str_of(text));
	assert_int_equal(files_open_root(&root, t->path), 0);
	pid_t child = fork();
	if (child == 0) {
		int flags = fcntl(listen_fd, F_GETFL);
		fcntl(listen_fd, F_SETFL, flags & ~O_NONBLOCK);
		int fd = accept(listen_fd, NULL, NULL);
		int n = snprintf(text, sizeof(text), "ok pid %u\ninterval 10\n", pid);
		_exit(recv(fd, request, sizeof(request), 0) <= 0 ||
		      send(fd, text, (size_t)n, 0) != n);
	}
	top_agent_look(a, t->path, &root);
	files_free(&root);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(cpu_time_of_an_agent_is_compared_with_its_own)
{
	struct tree t CLEANUP(tree_free);
	struct top_agent a CLEANUP(top_agent_free) = { 0 };
	tree_make(&t);
	int fd CLEANUP(close_fd) = control_listen(t.path, false);
	assert_true(fd >= 0);
	look_at_agent(&a, &t, fd, 7, 100);
	assert_true(a.runs && isnan(a.cpus) && a.rss > 0);
	look_at_agent(&a, &t, fd, 7, 100);
	assert_true(a.cpus == 0);
	look_at_agent(&a, &t, fd, 8, 5000);	/* the agent was restarted */
	assert_true(isnan(a.cpus));
	look_at_agent(&a, &t, fd, 8, 5001);
	assert_true(a.cpus > 0);
}

int main(void)
{
	RUN(cmocka_unit_test(used_memory_is_known_without_the_slab),
	    cmocka_unit_test(omni_path_counts_flits_of_eight_bytes),
	    cmocka_unit_test(cpu_time_of_an_agent_is_compared_with_its_own),
	    cmocka_unit_test(a_job_without_a_limit_of_memory_shows_none),
	    cmocka_unit_test(what_is_not_known_comes_after_what_is_idle),
	    cmocka_unit_test(a_rate_needs_a_reading_before_and_time_in_between),
	    cmocka_unit_test(counters_are_rates_and_gauges_are_levels),
	    cmocka_unit_test(a_counter_that_decreases_a_little_counts_nothing_until_it_is_back),
	    cmocka_unit_test(the_page_shows_the_requested_view),
	    cmocka_unit_test(the_page_shows_unknown_values_and_short_intervals),
	    cmocka_unit_test(the_filter_applies_to_jobs_without_a_control_group),
	    cmocka_unit_test(the_busiest_come_first),
	    cmocka_unit_test(json_leaves_out_unknown_values));
}
