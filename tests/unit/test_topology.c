/* SPDX-License-Identifier: BSD-3-Clause */
/* test_topology.c - find the CPUs of many machines, and survive damaged trees */
#include "tests/unit/machine.h"

#include "base/system/topology.h"

/* Return a root that is treated as a live node, so that only hwloc gives the topology. */
static struct files live(const struct tree *t)
{
	return (struct files){ .rootfd = t->fd };
}

static void check_cpus(const struct machine *m, const struct topology *t)
{
	size_t n = 0;
	for (unsigned cpu = 0; cpu < m->cpus; cpu++) {
		const struct topology_cpu *c = topology_find(t, cpu);
		assert_int_equal(c != NULL, machine_has(m, cpu));
		if (!c)
			continue;
		n++;
		assert_int_equal(c->number, cpu);
		assert_int_equal(c->package, machine_part(m, m->packages, cpu));
		assert_int_equal(c->node, m->nodes ? machine_part(m, m->nodes, cpu) : 0);
		unsigned twin = machine_core(m, cpu);	/* the first thread of the same core */
		const struct topology_cpu *first = topology_find(t, twin);
		assert_int_equal(c->thread, first ? cpu / (m->cpus / m->threads) : 0);
		if (first)
			assert_int_equal(c->core, first->core);
	}
	assert_int_equal(t->n, n);
	assert_null(topology_find(t, m->cpus));
}

TEST(machines_of_all_shapes_are_recognised)
{
	need_hwloc();
	static const struct {
		struct machine m;
		size_t packages, cores;
	} cases[] = {
		{ { 1, 1, 1, 0, 0, 0 }, 1, 1 },
		{ { 4, 1, 1, 1, 0, 0 }, 1, 4 },
		{ { 16, 2, 2, 2, 0, 0 }, 2, 8 },	/* two sockets with hyper-threading */
		{ { 32, 2, 2, 4, 0, 0 }, 2, 16 },	/* two sockets with sub-NUMA clusters */
		{ { 16, 2, 2, 2, 5, 1 }, 2, 8 },	/* a thread is offline */
		{ { 16, 2, 2, 2, 8, 8 }, 2, 8 },	/* all second threads are offline */
		{ { 8, 2, 1, 2, 4, 4 }, 1, 4 },		/* a whole package is offline */
		{ { 8, 2, 1, 2, 0, 1 }, 2, 7 },
		{ { 256, 2, 2, 8, 0, 0 }, 2, 128 },
		{ { 272, 1, 4, 1, 0, 0 }, 1, 68 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct topology t CLEANUP(topology_free) = { 0 };
		struct tree tree CLEANUP(tree_free);
		tree_make(&tree);
		machine_put(&tree, &cases[i].m);
		struct files root = live(&tree);
		assert_int_equal(topology_look(&t, &root), 0);
		assert_int_equal(t.packages, cases[i].packages);
		assert_int_equal(t.cores, cases[i].cores);
		check_cpus(&cases[i].m, &t);
	}
}

/* Many ARM kernels give packages no number. */
TEST(cpus_without_packages_are_recognised)
{
	need_hwloc();
	struct topology t CLEANUP(topology_free) = { 0 };
	struct tree tree CLEANUP(tree_free);
	struct machine m = { 4, .packages = 1, .threads = 1 };
	tree_make(&tree);
	tree_put(&tree, "proc/cpuinfo", STR("processor\t: 0\nCPU implementer\t: 0x41\n"));
	machine_put(&tree, &m);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		machine_file(&tree, STR("-1\n"), CPU_FOLDER "/cpu%u/topology/physical_package_id",
			     cpu);
	struct files root = live(&tree);
	assert_int_equal(topology_look(&t, &root), 0);
	assert_int_equal(t.n, 4);
	assert_int_equal(t.packages, 0);
	assert_int_equal(t.cores, 4);
	assert_int_equal(topology_find(&t, 3)->package, -1);
}

TEST(cpus_that_come_and_go_are_seen_at_the_next_request)
{
	need_hwloc();
	struct topology t CLEANUP(topology_free) = { 0 };
	struct tree tree CLEANUP(tree_free);
	struct machine m = { 8, .packages = 2, .threads = 1 };
	tree_make(&tree);
	machine_put(&tree, &m);
	struct files root = live(&tree);
	assert_int_equal(topology_look(&t, &root), 0);
	m.off = 6;
	m.n_off = 1;
	machine_put(&tree, &m);
	assert_int_equal(topology_look(&t, &root), 0);
	assert_non_null(topology_find(&t, 6));	/* .checked is still set, so nothing is read */
	t.checked = false;
	assert_int_equal(topology_look(&t, &root), 0);
	assert_null(topology_find(&t, 6));
	assert_int_equal(t.n, 7);

	/* the CPUs are the same, so the topology is kept and the change is not seen */
	machine_number(&tree, 7, "physical_package_id", 9);
	t.checked = false;
	assert_int_equal(topology_look(&t, &root), 0);
	assert_int_equal(topology_find(&t, 7)->package, 1);
}

TEST(a_captured_tree_with_ids_alone_is_read_as_well)
{
	struct topology t CLEANUP(topology_free) = { 0 };
	struct tree tree CLEANUP(tree_free);
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	tree_make(&tree);
	for (unsigned cpu = 0; cpu < 12; cpu++) {	/* each package has cores 0 and 8 */
		machine_number(&tree, cpu, "physical_package_id", cpu % 3);
		machine_number(&tree, cpu, "core_id", cpu / 3 % 2 * 8);
	}
	machine_number(&tree, 40, "physical_package_id", 2);
	assert_int_equal(files_open_root(&root, tree.path), 0);
	assert_int_equal(topology_look(&t, &root), 0);
	assert_int_equal(t.n, 13);
	assert_int_equal(t.packages, 3);
	assert_int_equal(t.cores, 6);
	assert_int_equal(topology_find(&t, 4)->package, 1);
	assert_int_equal(topology_find(&t, 10)->core, topology_find(&t, 4)->core);
	assert_int_equal(topology_find(&t, 4)->thread, 0);
	assert_int_equal(topology_find(&t, 10)->thread, 1);
	assert_int_equal(topology_find(&t, 40)->core, -1);
}

TEST(a_tree_without_a_topology_gives_a_reason)
{
	static const char *const cpuinfo[] = {
		NULL, "processor\t: 0\nvendor_id\t: GenuineIntel\n", "\xff\xff\n:\n:::0",
	};
	for (size_t i = 0; i < ARRAY_SIZE(cpuinfo); i++) {
		struct topology t CLEANUP(topology_free) = { 0 };
		struct tree tree CLEANUP(tree_free);
		struct files root CLEANUP(files_free) = { .rootfd = -1 };
		tree_make(&tree);
		if (cpuinfo[i])
			tree_put(&tree, "proc/cpuinfo", str_of(cpuinfo[i]));
		assert_int_equal(files_open_root(&root, tree.path), 0);
		assert_int_equal(topology_look(&t, &root), -ENOENT);
		assert_true(t.why[0]);
		assert_null(topology_find(&t, 0));
	}
}

/*
 * The test gives each file of a small machine damaged contents. Some make hwloc abort or allocate
 * gigabytes.
 */
TEST(a_damaged_tree_does_not_end_the_process)
{
	static const struct str garbage[] = {
		{ "", 0 }, { "\0\0\0\0", 4 }, { "-1\n", 3 }, { "zzz\n", 4 },
		{ "99999999999999999999999\n", 24 }, { "0-4294967294\n", 13 },
		{ "ffffffff,ffffffff,ffffffff,ffffffff,0000000f\n", 45 },
	};
	static const char *const files[] = {
		CPU_FOLDER "/online", CPU_FOLDER "/cpu1/topology/physical_package_id",
		CPU_FOLDER "/cpu1/topology/core_id", CPU_FOLDER "/cpu0/topology/core_siblings",
		CPU_FOLDER "/cpu0/topology/thread_siblings", NODE_FOLDER "/online",
		NODE_FOLDER "/node1/cpumap", NODE_FOLDER "/node0/meminfo", "proc/cpuinfo",
	};
	static const struct machine m = { 4, .packages = 2, .threads = 1, .nodes = 2 };
	for (size_t f = 0; f < ARRAY_SIZE(files); f++)
		for (size_t i = 0; i < ARRAY_SIZE(garbage); i++) {
			struct topology t CLEANUP(topology_free) = { 0 };
			struct tree tree CLEANUP(tree_free);
			struct files root CLEANUP(files_free) = { .rootfd = -1 };
			tree_make(&tree);
			machine_put(&tree, &m);
			tree_put(&tree, files[f], garbage[i]);
			assert_int_equal(files_open_root(&root, tree.path), 0);
			int r = topology_look(&t, &root);
			assert_true(r == 0 ? t.n > 0 : r == -ENOENT && t.why[0]);
			for (unsigned cpu = 0; cpu < t.n; cpu++)
				assert_ptr_equal(topology_find(&t, t.cpu[cpu].number), &t.cpu[cpu]);
		}
}

TEST(a_cpu_of_an_absurd_number_takes_no_memory)
{
	struct topology t CLEANUP(topology_free) = { 0 };
	struct tree tree CLEANUP(tree_free);
	struct machine m = { 2, .packages = 1, .threads = 1 };
	tree_make(&tree);
	machine_put(&tree, &m);
	machine_number(&tree, 4294967295, "physical_package_id", 0);
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	assert_int_equal(files_open_root(&root, tree.path), 0);
	assert_int_equal(topology_look(&t, &root), 0);
	assert_int_equal(t.n, 2);
}

TEST(a_topology_process_that_hangs_is_killed)
{
	need_hwloc();
	struct topology t CLEANUP(topology_free) = { 0 };
	struct tree tree CLEANUP(tree_free);
	struct machine m = { 2, .packages = 1, .threads = 1 };
	tree_make(&tree);
	machine_put(&tree, &m);
	assert_int_equal(unlinkat(tree.fd, CPU_FOLDER "/online", 0), 0);
	assert_int_equal(mkfifoat(tree.fd, CPU_FOLDER "/online", 0600), 0);
	struct files root = live(&tree);
	assert_int_equal(topology_look(&t, &root), -ENOENT);
	assert_string_equal(t.why, "hwloc did not end in time");
}

int main(void)
{
	RUN(cmocka_unit_test(machines_of_all_shapes_are_recognised),
	    cmocka_unit_test(cpus_without_packages_are_recognised),
	    cmocka_unit_test(cpus_that_come_and_go_are_seen_at_the_next_request),
	    cmocka_unit_test(a_captured_tree_with_ids_alone_is_read_as_well),
	    cmocka_unit_test(a_tree_without_a_topology_gives_a_reason),
	    cmocka_unit_test(a_damaged_tree_does_not_end_the_process),
	    cmocka_unit_test(a_cpu_of_an_absurd_number_takes_no_memory),
	    cmocka_unit_test(a_topology_process_that_hangs_is_killed));
}
