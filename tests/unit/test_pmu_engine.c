/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pmu_engine.c - open and read counters that are shared, stolen, refused or on offline CPUs */
#include "tests/unit/test.h"

#include <stdarg.h>
#include "tests/unit/perf_script.h"

#define SOFTWARE 7	/* number of perf_sw's counters for each CPU, one of them the TSC */

static void make_two_cpus(struct node *n)
{
	node_make(n, "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\n");
	node_put(n, STR("0-1\n"), CPU_FOLDER "/online");
	node_pmu(n, "software", "1\n", NULL);
	node_pmu(n, "msr", "9\n", NULL);
	node_put(n, STR("event=0x00\n"), EVENT_SOURCES "/msr/events/tsc");
}

static uint64_t value(const struct node *n, size_t row, const char *key)
{
	const struct source *s = &n->source;
	for (size_t i = 0; i < s->rows.n_metrics; i++)
		if (strcmp(s->rows.metrics[i].name, key) == 0) {
			assert_true(rows_present(&s->rows, row)[0] >> i & 1);
			return rows_values(&s->rows, row)[i];
		}
	fail();
	return 0;
}

static bool has(const struct node *n, const char *key)
{
	const struct source *s = &n->source;
	for (size_t i = 0; i < s->rows.n_metrics; i++)
		if (strcmp(s->rows.metrics[i].name, key) == 0)
			return rows_present(&s->rows, 0)[0] >> i & 1;
	fail();
	return false;
}

static void assert_why(const struct node *n, const char *part)
{
	if (!strstr(n->source.why, part))
		fail_msg("\"%s\" does not say \"%s\"", n->source.why, part);
}

TEST(one_group_per_cpu_opened_once_and_read_with_one_call)
{
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	assert_int_equal(script.n, 2 * SOFTWARE);
	assert_int_equal(script.reads, 2);
	assert_int_equal(script.fd[SOFTWARE - 1].type, 9);
	assert_int_equal(script.fd[SOFTWARE - 1].leader, 0);
	assert_int_equal(script.fd[SOFTWARE].cpu, 1);

	assert_int_equal(node_collect(&n, "perf_sw", false), 0);
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	assert_int_equal(script.n, 2 * SOFTWARE);
	assert_int_equal(script.reads, 6);
	assert_int_equal(n.source.rows.n, 2);
	assert_text(rows_device(&n.source.rows, 1), STR("1"));
	assert_int_equal(value(&n, 1, "cpu_clock"), 100);
	assert_int_equal(value(&n, 1, "tsc"), 106);
	assert_false(has(&n, "time_running"));
}

TEST(an_event_that_the_kernel_does_not_list_is_no_key)
{
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	assert_int_equal(unlinkat(n.tree.fd, EVENT_SOURCES "/msr/events/tsc", 0), 0);
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	assert_int_equal(script.n, 2 * (SOFTWARE - 1));
	assert_false(has(&n, "tsc"));
}

TEST(rows_of_shared_counters_say_how_long_they_ran)
{
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	script.running = 400;
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	assert_int_equal(n.source.rows.n, 2);
	assert_int_equal(value(&n, 0, "time_enabled"), 2000);
	assert_int_equal(value(&n, 1, "time_running"), 1400);
	/* the raw value, which is not scaled up by time_enabled / time_running */
	assert_int_equal(value(&n, 0, "cpu_clock"), 100);
}

TEST(stolen_counters_have_no_row)
{
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	script.idle_cpu = 0;
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	assert_int_equal(n.source.rows.n, 1);
	assert_text(rows_device(&n.source.rows, 0), STR("1"));

	script.running = 0;
	assert_int_equal(node_collect(&n, "perf_sw", false), -ENOENT);
	assert_why(&n, "other programs hold them");
	node_put(&n, STR("1\n"), "proc/sys/kernel/nmi_watchdog");
	assert_int_equal(node_collect(&n, "perf_sw", true), -ENOENT);
	assert_why(&n, "NMI watchdog");
}

TEST(counters_that_stood_still_since_the_last_sample_have_no_row)
{
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	script.running -= 1000;		/* the next sample finds the time running unchanged */
	assert_int_equal(node_collect(&n, "perf_sw", false), -ENOENT);
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	assert_int_equal(script.n, 2 * SOFTWARE);
	assert_true(has(&n, "time_running"));
}

TEST(a_group_whose_time_stood_still_is_reopened)
{
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	script.enabled -= 1000;
	script.running -= 1000;
	assert_int_equal(node_collect(&n, "perf_sw", false), -ENOENT);
	assert_int_equal(script_open(), 0);
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	assert_int_equal(script_open(), 2 * SOFTWARE);
}

TEST(a_cpu_that_goes_is_closed_and_one_that_comes_is_opened)
{
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	node_put(&n, STR("1-2\n"), CPU_FOLDER "/online");
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	assert_int_equal(n.source.rows.n, 2);
	assert_text(rows_device(&n.source.rows, 0), STR("1"));
	assert_text(rows_device(&n.source.rows, 1), STR("2"));
	assert_int_equal(script.n, 3 * SOFTWARE);
	assert_int_equal(script_open(), 2 * SOFTWARE);
}

TEST(a_cpu_that_goes_offline_before_its_counters_are_opened_has_no_row)
{
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	script.refuse_cpu = 1;
	script.refuse = -ENODEV;
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	assert_int_equal(n.source.rows.n, 1);
}

TEST(a_refusal_is_reported_with_its_reason_and_leaves_nothing_open)
{
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	node_put(&n, STR("3\n"), "proc/sys/kernel/perf_event_paranoid");
	script.refuse_cpu = 1;
	script.refuse = -EACCES;
	assert_int_equal(node_collect(&n, "perf_sw", true), -ENOENT);
	assert_why(&n, "perf_event_paranoid is 3, and CAP_PERFMON helps only up to 2");
	assert_int_equal(script_open(), 0);

	node_put(&n, STR("2\n"), "proc/sys/kernel/perf_event_paranoid");
	assert_int_equal(node_collect(&n, "perf_sw", true), -ENOENT);
	assert_why(&n, "perf_event_paranoid is 2 and CAP_PERFMON is missing");

	script.refuse = -EINVAL;
	assert_int_equal(node_collect(&n, "perf_sw", true), -ENOENT);
	assert_why(&n, "7 counters of software on CPU 1: Invalid argument (this processor has "
		   "fewer");
	script.refuse = 0;
	script.room = SOFTWARE + 2;
	assert_int_equal(node_collect(&n, "perf_sw", true), -ENOENT);
	assert_why(&n, "14 counters need more file descriptors than allowed");
	assert_int_equal(script_open(), 0);
	script.room = 0;
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
}

TEST(every_error_of_opening_has_its_meaning)
{
	static const struct {
		int error;
		const char *why;
	} cases[] = {
		{ -EPERM,      "Operation not permitted: perf_event_paranoid is unknown and CAP" },
		{ -EBUSY,      "Device or resource busy (reserved by another program)" },
		{ -ENOENT,     "No such file or directory (a virtual machine without them?)" },
		{ -ENODEV,     "No such device (a virtual machine without them?)" },
		{ -ENXIO,      "No such device (a virtual machine without them?)" },
		{ -EOPNOTSUPP, "Operation not supported (a virtual machine without them?)" },
		{ -ENOSYS,     "Function not implemented (a kernel without perf events)" },
		{ -ENFILE,     "14 counters need more file descriptors than allowed" },
		{ -E2BIG,      "on CPU 0: Argument list too long" },
	};
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		script.refuse = cases[i].error;
		assert_int_equal(node_collect(&n, "perf_sw", true), -ENOENT);
		assert_why(&n, cases[i].why);
		assert_int_equal(script_open(), 0);
	}
}

TEST(a_counter_in_error_state_is_missing_and_reopened)
{
	struct node n CLEANUP(node_free);
	make_two_cpus(&n);
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	script.mute = true;
	assert_int_equal(node_collect(&n, "perf_sw", false), -ENOENT);
	assert_int_equal(script_open(), 0);
	script.mute = false;
	assert_int_equal(node_collect(&n, "perf_sw", true), 0);
	assert_int_equal(n.source.rows.n, 2);
}

TEST(a_captured_tree_is_planned_but_not_opened)
{
	struct node n CLEANUP(node_free);
	struct pmu_counter c;
	make_two_cpus(&n);
	n.root.in_root = true;
	assert_int_equal(node_collect(&n, "perf_sw", true), -ENOENT);
	assert_why(&n, "captured tree");
	assert_int_equal(script.n, 0);
	assert_true(pmu_planned(&n.source, 2 * SOFTWARE - 1, &c));
	assert_false(pmu_planned(&n.source, 2 * SOFTWARE, &c));
	pmu_planned(&n.source, SOFTWARE, &c);
	assert_string_equal(c.device, "1");
	assert_string_equal(c.key, "cpu_clock");
	assert_string_equal(c.pmu, "software");
	assert_int_equal(c.cpu, 1);
}

#define HARDWARE 9	/* number of counters of perf_hw */

static const char unknown_core[] =
	"vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\n";

static void make_unknown(struct node *n)
{
	node_make(n, unknown_core);
	node_put(n, STR("0-1\n"), CPU_FOLDER "/online");
}

TEST(a_processor_without_a_table_has_the_kernels_events)
{
	struct node n CLEANUP(node_free);
	make_unknown(&n);
	assert_int_equal(node_collect(&n, "perf_hw", true), 0);
	assert_int_equal(n.source.rows.n, 2);
	assert_int_equal(script_open(), 2 * HARDWARE);
	assert_int_equal(script.fd[0].type, PERF_TYPE_HARDWARE);
	assert_int_equal(script.fd[0].config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_int_equal(value(&n, 1, "instructions"), 100);
	assert_int_equal(value(&n, 1, "stalled_frontend"), 108);
	assert_int_equal(node_collect(&n, "perf_hw", true), 0);
	assert_int_equal(script.n, 2 * HARDWARE);
}

TEST(a_processor_with_a_table_uses_the_events_of_the_table)
{
	struct node n CLEANUP(node_free);
	make_processor(&n, processor(PMU_AMD, 0x19, 0x11), false);
	assert_int_equal(node_collect(&n, "perf_hw", true), -ENOENT);
	assert_why(&n, "processor is AMD Zen 4; the type is for a processor without a table");
}

TEST(events_that_a_core_lacks_are_no_keys)
{
	struct node n CLEANUP(node_free);
	make_unknown(&n);
	script.lacks = 1 << PERF_COUNT_HW_STALLED_CYCLES_BACKEND |
		       1 << PERF_COUNT_HW_CACHE_REFERENCES;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(node_collect(&n, "perf_hw", true), 0);
		assert_int_equal(script.n, 2 * (HARDWARE - 2));
		assert_false(has(&n, "stalled_backend"));
		assert_false(has(&n, "cache_references"));
		assert_int_equal(value(&n, 0, "cache_misses"), 102);
		assert_int_equal(value(&n, 0, "stalled_frontend"), 106);
	}
	node_end_type(&n);
	/* the first event of the group, instructions, is missing */
	script.lacks = 1 << PERF_COUNT_HW_INSTRUCTIONS;
	assert_int_equal(node_collect(&n, "perf_hw", true), -ENOENT);
	assert_why(&n, "a virtual machine without them?");
	assert_int_equal(script_open(), 0);
}

TEST(the_number_of_events_is_that_of_a_cores_counters)
{
	struct node n CLEANUP(node_free);
	make_unknown(&n);
	script.fits = 4;
	assert_int_equal(node_collect(&n, "perf_hw", true), 0);
	assert_int_equal(script_open(), 2 * 4);
	assert_true(has(&n, "cache_misses"));
	assert_false(has(&n, "branches"));
	node_end_type(&n);

	script.fits = 0;
	script.runs = 3;		/* the watchdog holds a counter that Linux counts as free */
	assert_int_equal(node_collect(&n, "perf_hw", true), 0);
	assert_int_equal(script_open(), 2 * 3);
	assert_true(has(&n, "cache_references"));
	assert_false(has(&n, "cache_misses"));
	assert_false(has(&n, "time_running"));
}

TEST(cpu_lists_and_processors_are_read_with_care)
{
	struct pmu_cpuid id;
	unsigned a, b;
	struct str list = STR("0-3,8,10-9");
	assert_true(pmu_take_range(&list, &a, &b) && a == 0 && b == 3);
	assert_true(pmu_take_range(&list, &a, &b) && a == 8 && b == 8);
	assert_false(pmu_take_range(&list, &a, &b));
	list = STR("0-4000000000");
	assert_false(pmu_take_range(&list, &a, &b));
	list = STR("0-8192");
	assert_false(pmu_take_range(&list, &a, &b));
	list = STR("0-8191,0-8191,0-8191");	/* reading stops if a list does not ascend */
	assert_true(pmu_take_range(&list, &a, &b) && a == 0 && b == 8191);
	assert_false(pmu_take_range(&list, &a, &b));

	assert_true(pmu_take_cpuid(STR("cpu\t\t: POWER9, altivec supported\n"), &id));
	assert_int_equal(id.vendor, PMU_IBM);
	assert_int_equal(id.family, 9);
	assert_false(pmu_take_cpuid(STR("cpu\t\t: POWER\n"), &id));
	assert_false(pmu_take_cpuid(STR("cpu\t\t: PPC970FX, altivec supported\n"), &id));
	assert_true(pmu_take_cpuid(STR("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"), &id));
	assert_int_equal(id.vendor, PMU_ARM);
	assert_int_equal(id.model, 0xd0c);
	assert_false(pmu_take_cpuid(STR("CPU implementer\t: 0x41\nCPU part\t: 0xd0cfff\n"), &id));
	assert_false(pmu_take_cpuid(STR("vendor_id : GenuineIntel\nmodel name : x\n"), &id));
}

int main(void)
{
	RUN(cmocka_unit_test(one_group_per_cpu_opened_once_and_read_with_one_call),
	    cmocka_unit_test(an_event_that_the_kernel_does_not_list_is_no_key),
	    cmocka_unit_test(rows_of_shared_counters_say_how_long_they_ran),
	    cmocka_unit_test(stolen_counters_have_no_row),
	    cmocka_unit_test(counters_that_stood_still_since_the_last_sample_have_no_row),
	    cmocka_unit_test(a_group_whose_time_stood_still_is_reopened),
	    cmocka_unit_test(a_cpu_that_goes_is_closed_and_one_that_comes_is_opened),
	    cmocka_unit_test(a_cpu_that_goes_offline_before_its_counters_are_opened_has_no_row),
	    cmocka_unit_test(a_refusal_is_reported_with_its_reason_and_leaves_nothing_open),
	    cmocka_unit_test(every_error_of_opening_has_its_meaning),
	    cmocka_unit_test(a_counter_in_error_state_is_missing_and_reopened),
	    cmocka_unit_test(a_captured_tree_is_planned_but_not_opened),
	    cmocka_unit_test(a_processor_without_a_table_has_the_kernels_events),
	    cmocka_unit_test(a_processor_with_a_table_uses_the_events_of_the_table),
	    cmocka_unit_test(events_that_a_core_lacks_are_no_keys),
	    cmocka_unit_test(the_number_of_events_is_that_of_a_cores_counters),
	    cmocka_unit_test(cpu_lists_and_processors_are_read_with_care));
}
