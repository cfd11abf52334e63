/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rapl.c - read energy that only grows, from powercap or the PMU but never from both */
#include "tests/unit/test.h"

#include <stdarg.h>
#include "collectors/rapl/rapl_power.h"
#include "collectors/rapl/rapl_zones.h"
#include "tests/unit/perf_script.h"

#define ZONE "sys/class/powercap/intel-rapl:0/"

static const struct collector *start(struct source *s, struct files *root, const struct tree *t)
{
	const struct collector *c = collector_find("intel_rapl");
	assert_non_null(c);
	tree_put(t, ZONE "name", STR("package-0\n"));
	tree_put(t, ZONE "max_energy_range_uj", STR("1000000\n"));
	assert_int_equal(files_open_root(root, t->path), 0);
	source_init(s, root, c->type->metrics, c->type->n_metrics);
	s->data = c->data;
	return c;
}

/*
 * Write the counter's file, and take a sample with a scan, which opens the new file. Returns the
 * sampled energy in mJ.
 */
static uint64_t energy(const struct collector *c, struct source *s, const struct tree *t,
		       const char *uj)
{
	tree_put(t, ZONE "energy_uj", str_of(uj));
	s->rescan = true;
	source_clear(s);
	files_forget(&s->files, ZONE "energy_uj");
	assert_int_equal(c->collect(s), 0);
	assert_int_equal(s->rows.n, 1);
	return rows_values(&s->rows, 0)[0];
}

TEST(energy_goes_on_if_the_counter_starts_again)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);
	tree_make(&t);
	const struct collector *c = start(&s, &root, &t);

	assert_int_equal(energy(c, &s, &t, "900000\n"), 900);
	assert_int_equal(energy(c, &s, &t, "950000\n"), 950);
	assert_int_equal(energy(c, &s, &t, "50000\n"), 1050);
	assert_int_equal(energy(c, &s, &t, "1000000\n"), 2000);
	assert_int_equal(energy(c, &s, &t, "0\n"), 2000);
	/* the value exceeds the range that powercap states */
	assert_int_equal(energy(c, &s, &t, "2000000\n"), 4000);
	assert_int_equal(energy(c, &s, &t, "1000\n"), 4001);
}

/*
 * The previous process may have counted a wrap of the counter, so the first row of the next process
 * does not continue its values.
 */
TEST(the_first_row_of_a_process_is_reopened)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);
	tree_make(&t);
	const struct collector *c = start(&s, &root, &t);

	energy(c, &s, &t, "900000\n");
	assert_true(s.rows.reopened);
	energy(c, &s, &t, "950000\n");
	assert_false(s.rows.reopened);
	energy(c, &s, &t, "50000\n");
	assert_false(s.rows.reopened);
}

TEST(after_a_failed_sample_the_next_row_is_marked_as_reopened)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);
	tree_make(&t);
	const struct collector *c = start(&s, &root, &t);

	tree_put(&t, ZONE "intel-rapl:0:0/name", STR("dram\n"));
	tree_put(&t, ZONE "intel-rapl:0:0/max_energy_range_uj", STR("1000000\n"));
	tree_put(&t, ZONE "intel-rapl:0:0/energy_uj", STR(""));
	tree_put(&t, ZONE "energy_uj", STR("900000\n"));
	assert_true(c->collect(&s) < 0);
	tree_put(&t, ZONE "intel-rapl:0:0/energy_uj", STR("5000\n"));
	files_forget(&s.files, ZONE "intel-rapl:0:0/energy_uj");
	energy(c, &s, &t, "910000\n");
	assert_true(s.rows.reopened);
	energy(c, &s, &t, "920000\n");
	assert_false(s.rows.reopened);
}

/*
 * The sample in which the package's counter was set back has no row, because the counter of its
 * memory (dram) cannot be read.
 */
TEST(a_rescan_does_not_forget_that_a_counter_was_set_back)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);
	tree_make(&t);
	const struct collector *c = start(&s, &root, &t);

	tree_put(&t, ZONE "max_energy_range_uj", STR("262143328850\n"));
	tree_put(&t, ZONE "intel-rapl:0:0/name", STR("dram\n"));
	tree_put(&t, ZONE "intel-rapl:0:0/max_energy_range_uj", STR("1000000\n"));
	tree_put(&t, ZONE "intel-rapl:0:0/energy_uj", STR("5000\n"));
	energy(c, &s, &t, "900000\n");
	energy(c, &s, &t, "910000\n");
	assert_false(s.rows.reopened);

	tree_put(&t, ZONE "intel-rapl:0:0/energy_uj", STR(""));
	tree_put(&t, ZONE "energy_uj", STR("100\n"));
	source_clear(&s);
	assert_true(c->collect(&s) < 0);
	tree_put(&t, ZONE "intel-rapl:0:0/energy_uj", STR("6000\n"));
	energy(c, &s, &t, "200\n");
	assert_true(s.rows.reopened);
}

TEST(a_counter_that_is_set_back_did_not_wrap)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);
	tree_make(&t);
	const struct collector *c = start(&s, &root, &t);
	tree_put(&t, ZONE "max_energy_range_uj", STR("262143328850\n"));

	assert_int_equal(energy(c, &s, &t, "10000000000\n"), 10000000);
	/* if this fall were taken for a wrap, it would add 257 kJ */
	assert_int_equal(energy(c, &s, &t, "5000000000\n"), 10000000);
	assert_true(s.rows.reopened);
	assert_int_equal(energy(c, &s, &t, "5001000000\n"), 10001000);
	assert_false(s.rows.reopened);
}

/*
 * The counter grows at 500 W for 10 minutes. Readings are 10 minutes apart if the interval is long,
 * or if the counter did not answer in between.
 */
TEST(a_counter_that_wraps_in_a_long_interval_loses_nothing)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);
	tree_make(&t);
	const struct collector *c = start(&s, &root, &t);
	tree_put(&t, ZONE "max_energy_range_uj", STR("400000000000\n"));

	assert_int_equal(energy(c, &s, &t, "300000000000\n"), 300000000);
	struct rapl *st = s.state;
	st->now.zone[0].read_ns -= 600 * INT64_C(1000000000);
	assert_int_equal(energy(c, &s, &t, "200000000000\n"), 600000000);
	assert_false(s.rows.reopened);
}

TEST(energy_that_could_not_be_read_is_missing_and_not_lost)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free);
	struct source s CLEANUP(source_free);
	tree_make(&t);
	const struct collector *c = start(&s, &root, &t);

	assert_int_equal(energy(c, &s, &t, "900000\n"), 900);
	tree_put(&t, ZONE "energy_uj", STR(""));
	source_clear(&s);
	files_forget(&s.files, ZONE "energy_uj");
	assert_true(c->collect(&s) < 0);
	assert_int_equal(s.rows.n, 0);
	assert_int_equal(energy(c, &s, &t, "50000\n"), 1050);
}

/* Make a node with the PMU but no powercap, and two packages: CPUs 0 to 3 and 4 to 7. */
static void make_power(struct node *n, const char *vendor, const char *cpumask)
{
	static const char *const events[][2] = { { "energy-pkg", "event=0x02" },
						 { "energy-ram", "event=0x03" } };
	char cpuinfo[64];
	need_hwloc();
	snprintf(cpuinfo, sizeof(cpuinfo), "vendor_id\t: %s\n", vendor);
	node_make(n, cpuinfo);
	node_pmu(n, "power", "23\n", cpumask);
	machine_put(&n->tree, &(struct machine){ 8, .packages = 2, .threads = 1 });
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		const char *e = events[i][0];
		node_put(n, str_of(events[i][1]), EVENT_SOURCES "/power/events/%s", e);
		node_put(n, STR("Joules"), EVENT_SOURCES "/power/events/%s.unit", e);
		node_put(n, STR("2.3283064365386962890625e-10"),
			 EVENT_SOURCES "/power/events/%s.scale", e);
	}
	script.value = (uint64_t)5 << 32;
}

static void assert_row(const struct node *n, size_t row, const char *device, size_t key,
		       uint64_t value)
{
	assert_true(row < n->source.rows.n);
	assert_text(rows_device(&n->source.rows, row), str_of(device));
	assert_true(rows_present(&n->source.rows, row)[0] >> key & 1);
	assert_int_equal(rows_values(&n->source.rows, row)[key], value);
}

static void put_zone(struct node *n, const char *uj)
{
	node_put(n, STR("package-0\n"), ZONE "name");
	node_put(n, STR("262143328850\n"), ZONE "max_energy_range_uj");
	if (uj)
		node_put(n, str_of(uj), ZONE "energy_uj");
}

TEST(counts_of_the_pmu_become_energy_without_overflow)
{
	assert_int_equal(power_uj(0), 0);
	assert_int_equal(power_uj(1), 0);
	assert_int_equal(power_uj(4295), 1);
	assert_int_equal(power_uj((uint64_t)1 << 31), 500000);
	assert_int_equal(power_uj((uint64_t)280 << 32), 280000000);
	assert_int_equal(power_uj(UINT64_MAX), 4294967295999999);
}

TEST(without_powercap_the_pmu_is_the_source)
{
	struct node n CLEANUP(node_free);
	struct pmu_counter c;
	make_power(&n, "GenuineIntel", "0,4\n");
	assert_int_equal(node_collect(&n, "intel_rapl", true), 0);
	assert_int_equal(n.source.rows.n, 2);
	assert_row(&n, 0, "0", 0, 5000);
	assert_row(&n, 1, "1", 3, 5000);
	assert_int_equal(script.n, 4);
	assert_int_equal(script.fd[2].cpu, 4);
	assert_int_equal(script.fd[2].type, 23);
	assert_int_equal(script.fd[2].config, 2);
	assert_int_equal(script.fd[3].config, 3);
	assert_int_equal(script.fd[3].leader, 2);

	/* larger than any value of a powercap counter */
	script.value = (uint64_t)100000 << 32;
	script.reads = 0;
	assert_int_equal(node_collect(&n, "intel_rapl", false), 0);
	assert_row(&n, 1, "1", 0, 100000000);
	assert_int_equal(script.reads, 2);	/* one read for each package */
	assert_int_equal(node_collect(&n, "intel_rapl", true), 0);
	assert_int_equal(script.n, 4);		/* no counter was reopened */
	assert_true(n.type->planned(&n.source, 3, &c));
	assert_false(n.type->planned(&n.source, 4, &c));
	n.type->planned(&n.source, 2, &c);
	assert_string_equal(c.device, "1");
	assert_string_equal(c.key, "energy-pkg");
	assert_string_equal(c.pmu, "power");
	node_end_type(&n);

	assert_int_equal(node_collect(&n, "rapl", true), 0);
	assert_int_equal(n.source.rows.n, 4);
	assert_row(&n, 0, "power:0/package-0", 0, 100000000000);
	assert_row(&n, 3, "power:1:dram/dram", 0, 100000000000);
	/* the row has only the energy: the PMU, unlike powercap, states no range */
	assert_int_equal(rows_present(&n.source.rows, 3)[0], 1);
}

TEST(powercap_is_the_source_if_it_may_be_read)
{
	struct node n CLEANUP(node_free);
	struct pmu_counter c;
	make_power(&n, "GenuineIntel", "0,4\n");
	put_zone(&n, "7000\n");
	assert_int_equal(node_collect(&n, "intel_rapl", true), 0);
	assert_int_equal(n.source.rows.n, 1);
	assert_row(&n, 0, "0", 0, 7);
	assert_int_equal(script.n, 0);
	assert_false(n.type->planned(&n.source, 0, &c));
}

TEST(zones_that_may_not_be_read_give_way_to_the_pmu_for_good)
{
	struct node n CLEANUP(node_free);
	make_power(&n, "GenuineIntel", "0,4\n");
	put_zone(&n, NULL);
	assert_int_equal(node_collect(&n, "intel_rapl", true), 0);
	assert_int_equal(n.source.rows.n, 2);
	assert_row(&n, 0, "0", 0, 5000);

	put_zone(&n, "7000000000\n");	/* powercap starts from another value */
	assert_int_equal(node_collect(&n, "intel_rapl", true), 0);
	assert_row(&n, 0, "0", 0, 5000);
}

TEST(dies_have_counters_of_their_own_but_not_on_amd)
{
	struct node n CLEANUP(node_free), amd CLEANUP(node_free);
	make_power(&n, "GenuineIntel", "0,2,4\n");
	node_put(&n, STR("1\n"), CPU_FOLDER "/cpu2/topology/die_id");
	assert_int_equal(node_collect(&n, "intel_rapl", true), 0);
	assert_int_equal(n.source.rows.n, 3);
	assert_row(&n, 0, "0/0", 0, 5000);
	assert_row(&n, 1, "0/1", 0, 5000);
	assert_row(&n, 2, "1", 0, 5000);
	node_end_type(&n);

	make_power(&amd, "AuthenticAMD", "0,2,4\n");
	node_put(&amd, STR("1\n"), CPU_FOLDER "/cpu2/topology/die_id");
	assert_int_equal(node_collect(&amd, "intel_rapl", true), -ENOENT);
	assert_string_equal(amd.source.why, "the packages are in type amd64_rapl");
	node_end_type(&amd);
	assert_int_equal(node_collect(&amd, "amd64_rapl", true), 0);
	assert_int_equal(amd.source.rows.n, 2);
	assert_row(&amd, 0, "0", 0, 5000);
}

TEST(energy_goes_on_if_counters_had_to_be_reopened)
{
	struct node n CLEANUP(node_free);
	make_power(&n, "GenuineIntel", "0\n");
	assert_int_equal(node_collect(&n, "intel_rapl", true), 0);
	script.mute = true;
	assert_int_equal(node_collect(&n, "intel_rapl", false), -ENOENT);
	assert_int_equal(script_open(), 0);
	script.mute = false;
	script.value = (uint64_t)1 << 32;
	assert_int_equal(node_collect(&n, "intel_rapl", true), 0);
	assert_row(&n, 0, "0", 0, 6000);
}

static void assert_why(struct node *n, const char *why)
{
	assert_int_equal(node_collect(n, "intel_rapl", true), -ENOENT);
	assert_string_equal(n->source.why, why);
	assert_int_equal(script_open(), 0);
}

TEST(a_zone_without_a_range_is_named_in_the_reason)
{
	struct node n CLEANUP(node_free);
	need_hwloc();
	node_make(&n, "vendor_id\t: GenuineIntel\n");
	machine_put(&n.tree, &(struct machine){ 8, .packages = 2, .threads = 1 });
	put_zone(&n, "1000\n");
	node_put(&n, STR("none\n"), ZONE "max_energy_range_uj");
	assert_why(&n, "/sys/class/powercap/intel-rapl:0/max_energy_range_uj: Bad message");
}

TEST(the_reason_says_why_the_pmu_cannot_count)
{
	struct node n CLEANUP(node_free);
	make_power(&n, "GenuineIntel", "0,4\n");
	node_put(&n, STR("2\n"), "proc/sys/kernel/perf_event_paranoid");
	script.refuse_cpu = 4;
	script.refuse = -EACCES;
	assert_why(&n, "perf_event_open: Permission denied: perf_event_paranoid is 2 and "
		       "CAP_PERFMON is missing");
	script.refuse = 0;
	script.room = 3;
	assert_why(&n, "4 counters need more file descriptors than allowed");
	n.root.in_root = true;
	node_end_type(&n);
	assert_why(&n, "captured tree: counters cannot be opened");
	assert_true(n.type->planned(&n.source, 3, &(struct pmu_counter){ 0 }));
	n.root.in_root = false;
	node_end_type(&n);

	node_put(&n, STR("1e-6"), EVENT_SOURCES "/power/events/energy-pkg.scale");
	node_put(&n, STR("Watt"), EVENT_SOURCES "/power/events/energy-ram.unit");
	assert_why(&n, "perf PMU power has no event energy-* in 2^-32 J");
	node_put(&n, STR("none\n"), EVENT_SOURCES "/power/type");
	assert_why(&n, "no zone intel-rapl:N in /sys/class/powercap, and no perf PMU power (a "
		       "virtual machine?)");
}

int main(void)
{
	RUN(cmocka_unit_test(the_first_row_of_a_process_is_reopened),
	    cmocka_unit_test(after_a_failed_sample_the_next_row_is_marked_as_reopened),
	    cmocka_unit_test(a_rescan_does_not_forget_that_a_counter_was_set_back),
	    cmocka_unit_test(a_counter_that_is_set_back_did_not_wrap),
	    cmocka_unit_test(a_counter_that_wraps_in_a_long_interval_loses_nothing),
	    cmocka_unit_test(energy_goes_on_if_the_counter_starts_again),
	    cmocka_unit_test(energy_that_could_not_be_read_is_missing_and_not_lost),
	    cmocka_unit_test(counts_of_the_pmu_become_energy_without_overflow),
	    cmocka_unit_test(without_powercap_the_pmu_is_the_source),
	    cmocka_unit_test(powercap_is_the_source_if_it_may_be_read),
	    cmocka_unit_test(zones_that_may_not_be_read_give_way_to_the_pmu_for_good),
	    cmocka_unit_test(dies_have_counters_of_their_own_but_not_on_amd),
	    cmocka_unit_test(energy_goes_on_if_counters_had_to_be_reopened),
	    cmocka_unit_test(a_zone_without_a_range_is_named_in_the_reason),
	    cmocka_unit_test(the_reason_says_why_the_pmu_cannot_count));
}
