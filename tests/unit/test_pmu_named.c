/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pmu_named.c - count events that the configuration names, on processors of each vendor */
#include "tests/unit/test.h"

#include <stdarg.h>
#include "collectors/pmu/alias.h"
#include "collectors/pmu/libpfm_nearest.h"
#include "collectors/pmu/named.h"
#include "tests/unit/perf_script.h"

/* Tell if libpfm4 knows an event. It has only PMUs of the architecture that it was built for. */
static bool libpfm_knows(const char *event)
{
	struct libpfm_answer a;
	const char *why;
	if (libpfm_load(&why) < 0)
		return false;
	libpfm_encode(event, NULL, 0, &a);
	return a.result == LIBPFM_FOUND;
}

static void need_names(const char *event)
{
	if (!libpfm_knows(event))
		skip();
}

/*
 * Configure type "mine" with these events, as if line 7 of nodometer.conf defined it, and make it
 * the node's only type.
 */
static void name_type(struct node *n, struct named_types *t, const char *events)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	node_end_type(n);
	named_free(t);
	if (!named_add(t, "mine", events, "nodometer.conf", 7, &why))
		fail_msg(STR_FMT, STR_ARG(buf_str(&why)));
	n->type = named_collector(t->type[0]);
	source_init(&n->source, &n->root, n->type->type->metrics, n->type->type->n_metrics);
	n->source.data = n->type->data;
	n->source.shared = &n->shared;
}

static void assert_resolves(struct node *n, struct named_types *t)
{
	struct buf errors CLEANUP(buf_free) = { 0 }, warnings CLEANUP(buf_free) = { 0 };
	if (named_resolve(t, &n->root, &errors, &warnings) < 0)
		fail_msg(STR_FMT, STR_ARG(buf_str(&errors)));
}

static void assert_wrong(struct node *n, const char *events, const char *want)
{
	struct named_types t CLEANUP(named_free) = { 0 };
	struct buf errors CLEANUP(buf_free) = { 0 }, warnings CLEANUP(buf_free) = { 0 };
	name_type(n, &t, events);
	assert_int_equal(named_resolve(&t, &n->root, &errors, &warnings), -EINVAL);
	buf_add_char(&errors, '\0');
	if (!strstr(errors.p, want))
		fail_msg("\"%s\" does not say \"%s\"", errors.p, want);
	node_end_type(n);
}

static void assert_warns(struct node *n, const char *events, const char *want)
{
	struct named_types t CLEANUP(named_free) = { 0 };
	struct buf errors CLEANUP(buf_free) = { 0 }, warnings CLEANUP(buf_free) = { 0 };
	name_type(n, &t, events);
	assert_int_equal(named_resolve(&t, &n->root, &errors, &warnings), 0);
	buf_add_char(&warnings, '\0');
	if (!strstr(warnings.p, want))
		fail_msg("\"%s\" does not say \"%s\"", warnings.p, want);
	node_end_type(n);
}

static void assert_not_a_line(const char *name, const char *events, const char *want)
{
	struct named_types t CLEANUP(named_free) = { 0 };
	struct buf why CLEANUP(buf_free) = { 0 };
	assert_false(named_add(&t, name, events, "nodometer.conf", 7, &why));
	buf_add_char(&why, '\0');
	if (!strstr(why.p, want))
		fail_msg("\"%s\" does not say \"%s\"", why.p, want);
}

static void assert_opened(int at, uint32_t type, uint64_t config, unsigned exclude)
{
	assert_true(at < script.n);
	assert_int_equal(script.fd[at].type, type);
	assert_int_equal(script.fd[at].config, config);
	assert_int_equal(script.fd[at].exclude, exclude);
}

TEST(a_line_is_split_into_events_or_refused)
{
	struct named_types t CLEANUP(named_free) = { 0 };
	struct buf why CLEANUP(buf_free) = { 0 };
	char many[2 * PMU_GROUP + 3] = "";
	assert_true(named_add(&t, "a", " x::B:C , pmu/event=1,umask=2/u,D=1 ", "f", 1, &why));
	assert_int_equal(t.type[0]->n, 3);
	assert_string_equal(t.type[0]->type.name, "pmc_a");
	assert_string_equal(t.type[0]->metrics[0].name, "B:C");
	assert_string_equal(t.type[0]->metrics[1].name, "event_1_umask_2:u");
	assert_string_equal(t.type[0]->metrics[2].name, "D_1");
	assert_string_equal(t.type[0]->where, "f:1");
	/* a file that is read later replaces the type */
	assert_true(named_add(&t, "a", "x", "g", 2, &why));
	assert_int_equal(t.n, 1);
	assert_int_equal(t.type[0]->n, 1);

	assert_not_a_line("", "x", "lowercase letters");
	assert_not_a_line("A", "x", "lowercase letters");
	assert_not_a_line("a", "", "at least one");
	assert_not_a_line("a", "x,,y", "without blanks");
	assert_not_a_line("a", "x y", "without blanks");
	assert_not_a_line("a", "p//", "p//: expected PMU/TERM=VALUE");
	assert_not_a_line("a", "p::x,/x/", "/x/: expected PMU/TERM=VALUE");
	assert_not_a_line("a", "p/x", "p/x: expected PMU/TERM=VALUE");
	assert_not_a_line("a", "p::x,q::x", "two events have the key x");
	for (size_t i = 0; i <= PMU_GROUP; i++) {
		many[2 * i] = (char)('a' + i);
		many[2 * i + 1] = ',';
	}
	assert_not_a_line("a", many, "use at most 11");
}

TEST(names_of_libpfm4_are_counted_on_intel)
{
	struct node n CLEANUP(node_free);
	struct named_types t CLEANUP(named_free) = { 0 };
	need_names("skx::INST_RETIRED:ANY_P");
	make_processor(&n, processor(PMU_INTEL, 6, 0x55), false);
	name_type(&n, &t, "skx::INST_RETIRED:ANY_P,FP_ARITH_INST_RETIRED:SCALAR_DOUBLE:u,"
		  "perf::PAGE-FAULTS");
	assert_resolves(&n, &t);
	int tried = script.n;		/* number of events opened to test whether they fit */
	assert_int_equal(tried, 3);
	assert_int_equal(script_open(), 0);
	assert_int_equal(node_collect(&n, NULL, true), 0);
	assert_int_equal(n.source.rows.n, 8);
	assert_opened(tried, 4, 0xc0, 0);
	assert_opened(tried + 1, 4, 0x1c7, LIBPFM_NO_KERNEL);
	assert_opened(tried + 2, PERF_TYPE_SOFTWARE, 2, 0);
	assert_int_equal(script.fd[tried + 2].leader, tried);
	assert_int_equal(rows_values(&n.source.rows, 0)[2], 102);
	assert_int_equal(node_collect(&n, NULL, true), 0);
	assert_int_equal(script.n, tried + 3 * 8);
}

TEST(boxes_of_a_kind_are_counted_all_or_one)
{
	struct node n CLEANUP(node_free);
	struct named_types t CLEANUP(named_free) = { 0 };
	need_names("skx_unc_imc0::UNC_M_CAS_COUNT:RD");
	need_hwloc();
	make_processor(&n, processor(PMU_INTEL, 6, 0x55), false);
	node_pmu(&n, "uncore_imc_0", "20\n", "0,4\n");
	node_pmu(&n, "uncore_imc_3", "23\n", "0,4\n");
	name_type(&n, &t, "skx_unc_imc::UNC_M_CAS_COUNT:RD");
	assert_resolves(&n, &t);
	assert_int_equal(node_collect(&n, NULL, true), 0);
	assert_int_equal(n.source.rows.n, 4);
	assert_text(rows_device(&n.source.rows, 3), STR("1/3"));
	assert_opened(script.n - 1, 23, 0x304, 0);
	name_type(&n, &t, "skx_unc_imc3::UNC_M_CAS_COUNT:RD");
	assert_resolves(&n, &t);
	assert_int_equal(node_collect(&n, NULL, true), 0);
	assert_int_equal(n.source.rows.n, 2);
	assert_text(rows_device(&n.source.rows, 0), STR("0/3"));
	assert_wrong(&n, "skx_unc_imc::UNC_M_CAS_COUNT:RD,skx::INST_RETIRED:ANY_P",
		     "nodometer.conf:7: mine = uncore_imc and cpu count on different devices");
}

TEST(names_of_libpfm4_are_counted_on_amd)
{
	struct node n CLEANUP(node_free);
	struct named_types t CLEANUP(named_free) = { 0 };
	need_names("amd64_fam19h_zen4::RETIRED_INSTRUCTIONS");
	make_processor(&n, processor(PMU_AMD, 0x19, 0x11), false);
	name_type(&n, &t, "RETIRED_SSE_AVX_FLOPS:ANY,RETIRED_INSTRUCTIONS");
	assert_resolves(&n, &t);
	assert_int_equal(node_collect(&n, NULL, true), 0);
	assert_opened(2, 4, 0x1f03, 0);
	assert_opened(3, 4, 0xc0, 0);

	name_type(&n, &t, "skx::INST_RETIRED:ANY_P");
	assert_resolves(&n, &t);
	assert_int_equal(node_collect(&n, NULL, true), -ENOENT);
	assert_non_null(strstr(n.source.why, "is of skx, not of this processor"));
}

static void put_neoverse(struct node *n)
{
	make_processor(n, processor(PMU_ARM, 0x41, 0xd4f), false);
	node_put(n, STR("config:0-15\n"), EVENT_SOURCES "/armv8_pmuv3/format/event");
	node_put(n, STR("event=0x0008\n"), EVENT_SOURCES "/armv8_pmuv3/events/inst_retired");
	node_put(n, STR("event=0x0074\n"), EVENT_SOURCES "/armv8_pmuv3/events/ase_spec");
}

/*
 * One configuration serves all nodes of a site, but the libpfm4 of a node has only the PMUs of one
 * architecture.
 */
TEST(names_of_another_architecture_are_absent)
{
	static const char *const names[] = {
		"skx::INST_RETIRED:ANY_P", "skx_unc_imc3::UNC_M_CAS_COUNT:RD",
		"amd64_fam19h_zen4::RETIRED_INSTRUCTIONS", "arm_n1::INST_RETIRED",
		"power9::PM_FLOP_CMPL",
	};
	struct node n CLEANUP(node_free);
	struct named_types t CLEANUP(named_free) = { 0 };
	unsigned foreign = 0;
	need_names("perf::PAGE-FAULTS");
	put_neoverse(&n);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (libpfm_knows(names[i]))
			continue;
		foreign++;
		name_type(&n, &t, names[i]);
		assert_resolves(&n, &t);
		assert_int_equal(node_collect(&n, NULL, true), -ENOENT);
		assert_non_null(strstr(n.source.why, "belongs to another architecture"));
		assert_warns(&n, names[i], "belongs to another architecture");
	}
	assert_true(foreign > 0);
}

TEST(the_kernels_own_names_are_counted_on_arm)
{
	struct node n CLEANUP(node_free);
	struct named_types t CLEANUP(named_free) = { 0 };
	put_neoverse(&n);
	name_type(&n, &t, "armv8_pmuv3/inst_retired/,armv8_pmuv3/event=0x80c1/u");
	assert_resolves(&n, &t);
	assert_int_equal(node_collect(&n, NULL, true), 0);
	assert_int_equal(n.source.rows.n, 8);
	assert_opened(2, 8, 8, 0);
	assert_opened(3, 8, 0x80c1, LIBPFM_NO_KERNEL | LIBPFM_NO_HV);
	assert_wrong(&n, "armv8_pmuv3/inst_retird/", "did you mean inst_retired?");
	assert_wrong(&n, "armv8_pmuv3/event=0x10000/", "event cannot hold 0x10000");
	assert_wrong(&n, "armv8_pmuv3/event=x/", "event=x is not a number");
	assert_wrong(&n, "armv8_pmuv3/inst_retired/x", "only the letters u, k and h");
	assert_warns(&n, "nosuchpmu/event=1/",
		     "nodometer.conf:7: warning: mine: no perf PMU nosuchpmu");
	if (!libpfm_knows("arm_n1::INST_RETIRED"))
		return;
	name_type(&n, &t, "arm_n1::INST_RETIRED");
	assert_resolves(&n, &t);
	assert_int_equal(node_collect(&n, NULL, true), 0);
	assert_int_equal(script.fd[script.n - 1].config & 0xffff, 8);
}

TEST(names_of_libpfm4_are_counted_on_power)
{
	struct node n CLEANUP(node_free);
	struct named_types t CLEANUP(named_free) = { 0 };
	need_names("power9::PM_FLOP_CMPL");
	make_processor(&n, processor(PMU_IBM, 9, 0), false);
	name_type(&n, &t, "power9::PM_FLOP_CMPL");
	assert_resolves(&n, &t);
	assert_int_equal(node_collect(&n, NULL, true), 0);
	assert_opened(1, 4, 0x4505e, 0);
}

TEST(a_wrong_name_is_refused_with_the_nearest)
{
	struct node n CLEANUP(node_free);
	need_names("skx::INST_RETIRED:ANY_P");
	make_processor(&n, processor(PMU_INTEL, 6, 0x55), false);
	assert_wrong(&n, "skx::INST_RETIRD:ANY_P",
		     "nodometer.conf:7: mine = skx::INST_RETIRD:ANY_P: skx has no INST_RETIRD; "
		     "did you mean INST_RETIRED?");
	assert_wrong(&n, "skx::INST_RETIRED:ANY", "INST_RETIRED has no ANY; did you mean ANY_P?");
	assert_wrong(&n, "skix::INST_RETIRED", "no PMU skix; did you mean skx?");
	assert_wrong(&n, "L2_RQST:MISS", "did you mean L2_RQSTS?");
	/* the event is incomplete without a unit mask */
	assert_wrong(&n, "skx::FP_ARITH_INST_RETIRED", "SCALAR_DOUBLE");
	assert_wrong(&n, "skx::INST_RETIRED:ANY_P:period=1000", "for sampling");
}

TEST(events_that_do_not_fit_are_refused_with_the_number_that_fits)
{
	struct node n CLEANUP(node_free);
	put_neoverse(&n);
	script.fits = 2;
	assert_wrong(&n, "armv8_pmuv3/inst_retired/,armv8_pmuv3/ase_spec/,"
		     "armv8_pmuv3/event=3/",
		     "nodometer.conf:7: mine = 3 events need a counter each, but only 2 can be "
		     "counted at the same time");
	assert_int_equal(script_open(), 0);
}

TEST(each_modifier_of_an_alias_has_its_meaning)
{
	static const struct {
		const char *letters;
		unsigned exclude;
	} cases[] = {
		{ "",   0 },
		{ "u",  LIBPFM_NO_KERNEL | LIBPFM_NO_HV },
		{ "k",  LIBPFM_NO_USER | LIBPFM_NO_HV },
		{ "h",  LIBPFM_NO_USER | LIBPFM_NO_KERNEL },
		{ "uk", LIBPFM_NO_HV },
		{ "ukh", 0 },
	};
	struct node n CLEANUP(node_free);
	struct named_types t CLEANUP(named_free) = { 0 };
	char text[64];
	put_neoverse(&n);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "armv8_pmuv3/ase_spec/%s", cases[i].letters);
		name_type(&n, &t, text);
		assert_int_equal(node_collect(&n, NULL, true), 0);
		assert_opened(script.n - 1, 8, 0x74, cases[i].exclude);
	}
}

TEST(each_modifier_of_libpfm4_has_its_meaning)
{
	static const struct {
		const char *event;
		uint64_t config;
		unsigned exclude;
	} cases[] = {
		{ "skx::INST_RETIRED:ANY_P:u",         0xc0, LIBPFM_NO_KERNEL },
		{ "skx::INST_RETIRED:ANY_P:k",         0xc0, LIBPFM_NO_USER },
		{ "skx::INST_RETIRED:ANY_P:u=1:k=1",   0xc0, 0 },
		{ "skx::INST_RETIRED:ANY_P:c=2",       0x20000c0, 0 },
		{ "skx::INST_RETIRED:ANY_P:c=2:i=1",   0x28000c0, 0 },
		{ "skx::INST_RETIRED:ANY_P:c=1:e=1",   0x10400c0, 0 },
		{ "skx::INST_RETIRED:ANY_P:t=1",       0x2000c0, 0 },
		{ "skx::INST_RETIRED:ANY_P:intx=1",    0x1000000c0, 0 },
		{ "skx::INST_RETIRED:ANY_P:mg",        0xc0, LIBPFM_NO_HOST },
		{ "skx::INST_RETIRED:ANY_P:mh",        0xc0, LIBPFM_NO_GUEST },
	};
	struct libpfm_answer a;
	need_names("skx::INST_RETIRED:ANY_P");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		libpfm_encode(cases[i].event, NULL, 0, &a);
		if (a.result != LIBPFM_FOUND)
			fail_msg("%s: %s", cases[i].event, a.why);
		assert_int_equal(a.config, cases[i].config);
		if (a.exclude != cases[i].exclude)
			fail_msg("%s: excludes %x", cases[i].event, a.exclude);
	}
}

TEST(a_pmu_that_comes_with_a_module_is_counted_until_it_goes)
{
	struct node n CLEANUP(node_free);
	struct named_types t CLEANUP(named_free) = { 0 };
	make_processor(&n, processor(PMU_AMD, 0x19, 0x11), false);
	name_type(&n, &t, "amd_umc/read/");
	assert_resolves(&n, &t);
	assert_int_equal(node_collect(&n, NULL, true), -ENOENT);
	assert_non_null(strstr(n.source.why, "no perf PMU amd_umc"));
	need_hwloc();
	node_pmu(&n, "amd_umc_1", "17\n", "0,4\n");
	node_put(&n, STR("config:0-7\n"), EVENT_SOURCES "/amd_umc_1/format/event");
	node_put(&n, STR("event=0x0a\n"), EVENT_SOURCES "/amd_umc_1/events/read");
	node_put(&n, STR("MiB\n"), EVENT_SOURCES "/amd_umc_1/events/read.unit");
	node_put(&n, STR("6.103515625e-5\n"), EVENT_SOURCES "/amd_umc_1/events/read.scale");
	n.root.again = true;
	assert_int_equal(node_collect(&n, NULL, true), 0);
	assert_int_equal(n.source.rows.n, 2);
	assert_opened(0, 17, 0x0a, 0);
	assert_string_equal(n.source.rows.metrics[0].unit, "64B");
	assert_int_equal(unlinkat(n.tree.fd, EVENT_SOURCES "/amd_umc_1/type", 0), 0);
	assert_int_equal(node_collect(&n, NULL, true), -ENOENT);
	assert_int_equal(script_open(), 0);
}

TEST(an_event_that_the_kernel_refuses_is_no_configuration_error)
{
	struct node n CLEANUP(node_free);
	struct named_types t CLEANUP(named_free) = { 0 };
	put_neoverse(&n);
	node_put(&n, STR("2\n"), "proc/sys/kernel/perf_event_paranoid");
	name_type(&n, &t, "armv8_pmuv3/inst_retired/");
	script.refuse_cpu = -1;
	script.refuse = -EACCES;
	assert_resolves(&n, &t);
	assert_int_equal(node_collect(&n, NULL, true), -ENOENT);
	assert_non_null(strstr(n.source.why, "perf_event_paranoid is 2"));
	script.refuse = -EMFILE;
	assert_int_equal(node_collect(&n, NULL, true), -ENOENT);
	assert_non_null(strstr(n.source.why, "descriptors"));
	script.refuse = 0;
	assert_int_equal(node_collect(&n, NULL, true), 0);
}

TEST(shared_counters_say_how_long_they_ran)
{
	struct node n CLEANUP(node_free);
	struct named_types t CLEANUP(named_free) = { 0 };
	put_neoverse(&n);
	name_type(&n, &t, "armv8_pmuv3/inst_retired/");
	assert_int_equal(node_collect(&n, NULL, true), 0);
	assert_int_equal(rows_present(&n.source.rows, 0)[0], 1);
	script.running -= 500;
	assert_int_equal(node_collect(&n, NULL, false), 0);
	assert_int_equal(rows_present(&n.source.rows, 0)[0], 7);
	const uint64_t *v = rows_values(&n.source.rows, 0);
	assert_int_equal(v[2] + 500, v[1]);
}

TEST(bits_go_where_the_format_says)
{
	struct pmu_event e = { .config = 0 };
	assert_true(alias_place(STR("config:0-7,32-35"), 0x9ab, &e));
	assert_int_equal(e.config, 0x9000000abull);
	assert_true(alias_place(STR("config1:0-63"), UINT64_MAX, &e));
	assert_true(e.config1 == UINT64_MAX);
	assert_true(alias_place(STR("config2:63"), 1, &e));
	assert_false(alias_place(STR("config:0-3"), 16, &e));
	assert_false(alias_place(STR("config3:0-3"), 1, &e));
	assert_false(alias_place(STR("config"), 1, &e));
	assert_false(alias_place(STR("config:"), 1, &e));
	assert_false(alias_place(STR("config:9-3"), 1, &e));
	assert_false(alias_place(STR("config:0-64"), 1, &e));
	assert_false(alias_place(STR("config:x"), 1, &e));
}

int main(void)
{
	RUN(cmocka_unit_test(a_line_is_split_into_events_or_refused),
	    cmocka_unit_test(names_of_libpfm4_are_counted_on_intel),
	    cmocka_unit_test(boxes_of_a_kind_are_counted_all_or_one),
	    cmocka_unit_test(names_of_libpfm4_are_counted_on_amd),
	    cmocka_unit_test(names_of_another_architecture_are_absent),
	    cmocka_unit_test(the_kernels_own_names_are_counted_on_arm),
	    cmocka_unit_test(names_of_libpfm4_are_counted_on_power),
	    cmocka_unit_test(a_wrong_name_is_refused_with_the_nearest),
	    cmocka_unit_test(events_that_do_not_fit_are_refused_with_the_number_that_fits),
	    cmocka_unit_test(each_modifier_of_an_alias_has_its_meaning),
	    cmocka_unit_test(each_modifier_of_libpfm4_has_its_meaning),
	    cmocka_unit_test(a_pmu_that_comes_with_a_module_is_counted_until_it_goes),
	    cmocka_unit_test(an_event_that_the_kernel_refuses_is_no_configuration_error),
	    cmocka_unit_test(shared_counters_say_how_long_they_ran),
	    cmocka_unit_test(bits_go_where_the_format_says));
}
