/* SPDX-License-Identifier: BSD-3-Clause */
/* test_host.c - find the name of a node, and write its properties into a header */
#include "tests/unit/tree.h"

#include <string.h>
#include "archive/host.h"

static void identify(struct host *h, const struct tree *t, const char *given)
{
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	assert_int_equal(files_open_root(&root, t->path), 0);
	host_identify(h, &root, given);
}

TEST(short_name_is_completed_from_etc_hosts)
{
	static const struct {
		const char *kernel, *hosts, *want;
	} cases[] = {
		{ "n1\n", "10.0.0.1 n1.cluster.org n1\n", "n1.cluster.org" },
		{ "n1\n", "10.0.0.1 n1 n1.cluster.org", "n1.cluster.org" },
		{ "n1\n", "# n1.a n1\n\n127.0.0.1 localhost\n10.0.0.1\tn1.b\tn1 # c\n", "n1.b" },
		{ "n1\n", "10.0.0.1 n1 # n1.cluster.org\n", "n1" },
		{ "n1\n", "10.0.0.1 n12.cluster.org n12\n", "n1" },
		{ "n1\n", "10.0.0.1 n1.cluster.org\n", "n1" },
		{ "n1\n", "n1.cluster.org n1\n", "n1" },
		{ "n1\n", "10.0.0.1 n1.a n1.b n1\n10.0.0.2 n1.c n1\n", "n1.a" },
		{ "n1\n", "10.0.0.1\nn1.a\n\n#\n\xff\xfe\n", "n1" },
		{ "n1.x\n", "10.0.0.1 n1.x.y n1.x\n", "n1.x" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tree t CLEANUP(tree_free);
		struct host h;
		tree_make(&t);
		tree_put(&t, "proc/sys/kernel/hostname", str_of(cases[i].kernel));
		tree_put(&t, "etc/hosts", str_of(cases[i].hosts));
		identify(&h, &t, "");
		assert_string_equal(h.name, cases[i].want);
	}
}

TEST(name_becomes_a_valid_folder_name)
{
	static const struct {
		const char *given, *want;
	} cases[] = {
		{ "n1.cluster.org", "n1.cluster.org" },
		{ "../../etc", "_._.._etc" },
		{ "..", "_." },
		{ ".", "_" },
		{ "a/b", "a_b" },
		{ "a b\tc\nd\x1b", "a_b_c_d_" },
		{ "a\x7f", "a_" },
		{ "/", "_" },
	};
	struct tree t CLEANUP(tree_free);
	tree_make(&t);
	tree_put(&t, "proc/sys/kernel/hostname", STR("kernel\n"));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct host h;
		identify(&h, &t, cases[i].given);
		assert_string_equal(h.name, cases[i].want);
	}
}

TEST(long_name_is_truncated)
{
	struct tree t CLEANUP(tree_free);
	struct host h;
	char given[1000];
	tree_make(&t);
	memset(given, 'x', sizeof(given));
	given[sizeof(given) - 1] = '\0';
	identify(&h, &t, given);
	assert_int_equal(strlen(h.name), sizeof(h.name) - 1);
	tree_put(&t, "proc/sys/kernel/hostname", str_of(given));
	identify(&h, &t, NULL);
	assert_true(strlen(h.name) >= 250);
}

TEST(root_without_files_still_gives_a_name)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct topology topology CLEANUP(topology_free) = { 0 };
	struct buf b CLEANUP(buf_free) = { 0 };
	struct host h;
	tree_make(&t);
	identify(&h, &t, NULL);
	assert_true(h.name[0]);
	assert_string_equal(h.boot_id, "");

	assert_int_equal(files_open_root(&root, t.path), 0);
	host_put_header(&b, &h, &root, &topology, "1.0.2");
	assert_true(str_starts(buf_str(&b), STR("$hpcperfstats 1.0.2\n$hostname ")));
	buf_add_char(&b, '\0');
	assert_null(strstr(b.p, "$uptime"));
	assert_null(strstr(b.p, "$topology"));
	assert_null(strstr(b.p, "$boot_id"));
	assert_null(strstr(b.p, "$fault_ns"));
}

static void put_cpu(const struct tree *t, int cpu, const char *package, const char *core)
{
	char path[128];
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 cpu);
	tree_put(t, path, str_of(package));
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
	tree_put(t, path, str_of(core));
}

TEST(header_has_the_properties_that_the_kernel_shows)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct topology topology CLEANUP(topology_free) = { 0 };
	struct buf b CLEANUP(buf_free) = { 0 };
	struct host h;
	tree_make(&t);
	tree_put(&t, "proc/sys/kernel/random/boot_id", STR("b1\n"));
	tree_put(&t, "proc/uptime", STR("4753669.11 12.3\n"));
	tree_put(&t, "sys/devices/system/cpu/online", STR("0-3\n"));
	tree_put(&t, "sys/devices/system/node/online", STR("0\n"));
	for (int i = 0; i < 8; i++)	/* two sockets, each with two cores of two threads */
		put_cpu(&t, i, i & 1 ? "1\n" : "0\n", i & 2 ? "7\n" : "0\n");
	put_cpu(&t, 8, "-1\n", "x\n");	/* an offline CPU */
	tree_put(&t, "sys/devices/system/cpu/cpufreq/x", STR(""));
	identify(&h, &t, "n1");
	assert_int_equal(files_open_root(&root, t.path), 0);
	host_put_header(&b, &h, &root, &topology, "2.3.5");
	assert_true(str_starts(buf_str(&b), STR("$hpcperfstats 2.3.5\n$hostname n1\n$uname ")));
	buf_add_char(&b, '\0');
	assert_non_null(strstr(b.p, "\n$uptime 4753669\n$agent nodometer " PACKAGE_VERSION
			       "\n$topology sockets=2 cores=4 cpus=0-3 nodes=0\n$boot_id b1\n"));

	put_cpu(&t, 9, "2\n", "0\n");	/* the next header counts the socket of a new CPU */
	tree_put(&t, "sys/devices/system/cpu/online", STR("0-3,9\n"));
	b.n = 0;
	host_put_header(&b, &h, &root, &topology, "2.3.5");
	buf_add_char(&b, '\0');
	assert_non_null(strstr(b.p, "\n$topology sockets=3 cores=5 cpus=0-3,9 nodes=0\n"));
}

TEST(header_has_the_cost_of_a_page_fault_on_this_node)
{
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct topology topology CLEANUP(topology_free) = { 0 };
	struct buf b CLEANUP(buf_free) = { 0 };
	struct host h;
	assert_int_equal(files_open_root(&root, "/"), 0);
	host_identify(&h, &root, "n1");
	host_put_header(&b, &h, &root, &topology, "1.0.2");
	struct str rest = buf_str(&b), line;
	uint64_t ns = 0;
	while (str_take_line(&rest, &line))
		if (str_take_prefix(&line, STR("$fault_ns ")))
			assert_true(str_take_u64(&line, &ns));
	assert_in_range(ns, 20, 1000000);
}

int main(void)
{
	RUN(cmocka_unit_test(short_name_is_completed_from_etc_hosts),
	    cmocka_unit_test(name_becomes_a_valid_folder_name),
	    cmocka_unit_test(long_name_is_truncated),
	    cmocka_unit_test(root_without_files_still_gives_a_name),
	    cmocka_unit_test(header_has_the_properties_that_the_kernel_shows),
	    cmocka_unit_test(header_has_the_cost_of_a_page_fault_on_this_node));
}
