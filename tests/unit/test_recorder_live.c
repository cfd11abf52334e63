/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_recorder_live.c - keep live samples, which are taken between those of the archive, out of
 * the archive, and lose no data of the archive
 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include "recorder/live_tier.h"
#include "tests/unit/recorder_node.h"

#define SCOPE "root/sys/fs/cgroup/system.slice/slurmstepd.scope/"
#define LIVE  "run/live/n1"

static void node_open_with(struct node *n, const char *type)
{
	node_open(n, true);
	recorder_close(n->r);
	n->config.live_us = 1;
	for (size_t i = 0; i < n_collectors; i++)
		if (strcmp(types[i]->name, type) == 0)
			n->config.use[i] = USE_ON;
	char error[768];
	assert_int_equal(recorder_open(n->r, &n->config, NULL, error, sizeof(error)), 0);
	n->r->to.keep = true;
}

static void get(struct node *n, const char *path)
{
	tree_get(&n->tree, path, &n->text);
	buf_add_char(&n->text, '\0');
	n->text.n--;
}

/* Count the raw files in a directory, without "current". */
static size_t files(const struct node *n, const char *dir)
{
	char path[600];
	size_t found = 0;
	snprintf(path, sizeof(path), "%s/%s", n->tree.path, dir);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		found += e->d_name[0] >= '0' && e->d_name[0] <= '9';
	if (d)
		closedir(d);
	return found;
}

TEST(a_live_sample_is_not_in_the_archive)
{
	struct node n CLEANUP(node_free);
	struct live_tier live CLEANUP(live_tier_close);
	node_open_with(&n, "vm");
	live_tier_open(&live, n.r);
	tree_put(&n.tree, "root/proc/vmstat", STR("pgfault 7\n"));
	assert_int_equal(recorder_begin(n.r, STR("42")), 0);
	str_copy(n.config.live_types, sizeof(n.config.live_types), STR("vm"));
	sampler_set_live(&n.r->sampler, STR("vm"));
	assert_int_equal(live_tier_sample(&live, 2000000), 0);
	assert_int_equal(groups(&n), 1);
	get(&n, LIVE "/current");
	assert_non_null(strstr(n.text.p, "$hostname n1\n"));
	assert_non_null(strstr(n.text.p, "\n\n2 42\nvm - 7\nnodometer vm "));
	assert_null(strstr(n.text.p, "\ncpu "));
	assert_null(strstr(n.text.p, "%begin"));

	/* The next sample of the archive has all types again. */
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_last(&n, "42");
	assert_non_null(memmem(n.text.p, n.text.n, "\ncpu 0 1 2 3 4\n", 15));
}

TEST(a_live_sample_leaves_missed_ticks_and_cpu_time_to_the_archive)
{
	struct node n CLEANUP(node_free);
	struct live_tier live CLEANUP(live_tier_close);
	node_open_with(&n, "vm");
	live_tier_open(&live, n.r);
	tree_put(&n.tree, "root/proc/vmstat", STR("pgfault 7\n"));
	assert_int_equal(recorder_sample(n.r, 0), 0);
	int64_t cpu_ns = n.r->sampler.cpu_ns;
	n.r->persistent.unreported = 3;
	sampler_set_live(&n.r->sampler, STR("vm"));
	assert_int_equal(live_tier_sample(&live, 2000000), 0);
	assert_int_equal(n.r->sampler.cpu_ns, cpu_ns);
	assert_int_equal(n.r->persistent.unreported, 3);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_true(n.r->sampler.cpu_ns > cpu_ns);
	assert_int_equal(n.r->persistent.unreported, 0);
}

TEST(a_type_that_comes_later_has_its_schema_before_its_rows)
{
	struct node n CLEANUP(node_free);
	struct live_tier live CLEANUP(live_tier_close);
	node_open_with(&n, "vm");
	live_tier_open(&live, n.r);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_int_equal(live_tier_sample(&live, 2000000), 0);
	tree_put(&n.tree, "root/proc/vmstat", STR("pgfault 7\n"));
	sampler_look_again(&n.r->sampler);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_int_equal(live_tier_sample(&live, 3000000), 0);
	get(&n, LIVE "/current");
	const char *schema = strstr(n.text.p, "\n!vm pgfault,E\n");
	assert_non_null(schema);
	assert_non_null(strstr(schema, "\nvm - 7\n"));
}

TEST(no_more_than_two_files_are_kept)
{
	struct node n CLEANUP(node_free);
	struct live_tier live CLEANUP(live_tier_close);
	struct buf cpus CLEANUP(buf_free) = { 0 };
	node_open_with(&n, "vm");
	live_tier_open(&live, n.r);
	for (int i = 0; i < 3000; i++)
		buf_addf(&cpus, "cpu%d 100000 200000 300000 400000\n", i);
	tree_put(&n.tree, "root/proc/stat", buf_str(&cpus));
	assert_int_equal(recorder_sample(n.r, 0), 0);
	for (int i = 0; i < 60; i++)	/* each sample has about 100 KB */
		assert_int_equal(live_tier_sample(&live, (1 + i) * INT64_C(1000000)), 0);
	assert_int_equal(files(&n, LIVE), 2);
}

TEST(the_last_values_of_a_job_are_kept_for_the_archive)
{
	struct node n CLEANUP(node_free);
	struct live_tier live CLEANUP(live_tier_close);
	node_open_with(&n, "job");
	live_tier_open(&live, n.r);
	tree_put(&n.tree, SCOPE "job_7/cpu.stat",
		 STR("usage_usec 3\nuser_usec 2\nsystem_usec 1\n"));
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_int_equal(live_tier_sample(&live, 2000000), 0);
	assert_int_equal(groups(&n), 1);
	assert_int_equal(unlinkat(n.tree.fd, SCOPE "job_7/cpu.stat", 0), 0);
	assert_int_equal(unlinkat(n.tree.fd, SCOPE "job_7", AT_REMOVEDIR), 0);
	assert_int_equal(live_tier_sample(&live, 3000000), 0);
	assert_int_equal(groups(&n), 1);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_last(&n, "7");
	assert_non_null(memmem(n.text.p, n.text.n, "\njob 7 3 ", 9));
}

TEST(a_sample_for_a_viewer_changes_no_types_of_the_live_tier)
{
	struct node n CLEANUP(node_free);
	struct live_tier live CLEANUP(live_tier_close);
	struct buf got CLEANUP(buf_free) = { 0 };
	node_open_with(&n, "vm");
	live_tier_open(&live, n.r);
	assert_int_equal(recorder_sample_now(n.r, STR("vm"), &got), -ENODATA);
	tree_put(&n.tree, "root/proc/vmstat", STR("pgfault 7\n"));
	assert_int_equal(recorder_sample(n.r, 0), 0);
	str_copy(n.config.live_types, sizeof(n.config.live_types), STR("cpu"));
	got.n = 0;
	assert_int_equal(recorder_sample_now(n.r, STR("vm"), &got), 0);
	buf_add_char(&got, '\0');
	assert_non_null(strstr(got.p, "\n!vm pgfault,E\n"));
	assert_non_null(strstr(got.p, "\nvm - 7\n"));
	assert_null(strstr(got.p, "\ncpu "));
	assert_int_equal(live_tier_sample(&live, 2000000), 0);
	get(&n, LIVE "/current");
	assert_non_null(strstr(n.text.p, "\ncpu 0 1 2 3 4\n"));
	assert_null(strstr(n.text.p, "\nvm - 7\n"));
}

int main(void)
{
	RUN(cmocka_unit_test(a_live_sample_is_not_in_the_archive),
	    cmocka_unit_test(a_live_sample_leaves_missed_ticks_and_cpu_time_to_the_archive),
	    cmocka_unit_test(a_type_that_comes_later_has_its_schema_before_its_rows),
	    cmocka_unit_test(no_more_than_two_files_are_kept),
	    cmocka_unit_test(the_last_values_of_a_job_are_kept_for_the_archive),
	    cmocka_unit_test(a_sample_for_a_viewer_changes_no_types_of_the_live_tier));
}
