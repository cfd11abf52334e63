/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pmu_tables.c - check each processor's table: encodings, keys, and opened events */
#include "tests/unit/test.h"

#include <stdarg.h>
#include "tests/unit/perf_script.h"

/* An event, and its position in the table of a processor. */
struct place {
	const struct pmu_unit *unit;
	const struct pmu_event *event;
	size_t i;		/* index among the general or the fixed counters */
	bool fixed;
};

static void for_each_event(void (*check)(const struct place *, const void *), const void *with)
{
	for (size_t c = 0; c < n_pmu_processors; c++)
		for (size_t u = 0; u < pmu_processors[c]->n_units; u++)
			for (size_t i = 0; i < PMU_GROUP; i++) {
				struct place p = { &pmu_processors[c]->units[u] };
				p.fixed = i >= PMU_EVENTS;
				p.i = p.fixed ? i - PMU_EVENTS : i;
				p.event = p.fixed ? &p.unit->fixed[p.i] : &p.unit->event[p.i];
				if (p.event->name)
					check(&p, with);
			}
}

/* Check that pmu_encodings.txt has the event, as in "snb_ep::L1D:REPLACEMENT 0x151 0x0". */
static void check_encoding(const struct place *p, const void *with)
{
	char want[512];
	if (!*p->event->name)
		return;		/* libpfm4 has no name for the event */
	snprintf(want, sizeof(want), "\n%s::%s 0x%llx 0x%llx\n", p->unit->libpfm, p->event->name,
		 (unsigned long long)p->event->config, (unsigned long long)p->event->config1);
	if (!strstr(with, want))
		fail_msg("%s is not in pmu_encodings.txt", want + 1);
}

TEST(events_have_the_encodings_of_libpfm4)
{
	struct tree source = { .fd = AT_FDCWD };
	struct buf text CLEANUP(buf_free) = { 0 };
	char path[512];
	const char *srcdir = getenv("srcdir");
	snprintf(path, sizeof(path), "%s/tests/unit/pmu_encodings.txt", srcdir ? srcdir : ".");
	tree_get(&source, path, &text);
	buf_add_char(&text, '\0');
	for_each_event(check_encoding, text.p);
}

/* Check that the kernel's file of the event contains the event's code, for example "event=0x06". */
static void check_alias(const struct place *p, const void *with)
{
	const struct node *n = with;
	struct buf text CLEANUP(buf_free) = { 0 };
	char path[96], want[32];
	if (!p->event->alias)
		return;
	snprintf(path, sizeof(path), EVENT_SOURCES "/%s/events/%s", p->event->pmu, p->event->alias);
	snprintf(want, sizeof(want), "event=0x%02llx\n", (unsigned long long)p->event->config);
	tree_get(&n->tree, path, &text);
	assert_text(buf_str(&text), str_of(want));
}

TEST(events_of_pmu_msr_have_the_codes_of_the_kernel)
{
	struct node n CLEANUP(node_free);
	make_processor(&n, processor(PMU_AMD, 0x19, 0), false);
	node_put(&n, STR("event=0x00\n"), EVENT_SOURCES "/msr/events/tsc");
	for_each_event(check_alias, &n);
}

static const struct type *type_of(const struct pmu_unit *u)
{
	const struct collector *c = collector_find(u->type);
	if (!c)
		fail_msg("%s is no type", u->type);
	assert_true(c->collect == pmu_collect);
	assert_ptr_equal(c->data, c->type);
	assert_non_null(c->type->counters);
	return c->type;
}

static void check_keys(const struct place *p, const void *with)
{
	const struct type *t = type_of(p->unit);
	int first = p->fixed ? t->counters->fixed : t->counters->ctr;
	(void)with;
	assert_true(first >= 0);
	assert_true((size_t)first + p->i < t->n_metrics - PMU_TIME_KEYS);
	assert_int_equal(t->metrics[(size_t)first + p->i].kind, COUNTER);
	bool has_ctl = !p->fixed && t->counters->ctl >= 0;
	assert_int_equal(p->event->ctl != 0, has_ctl);
	if (has_ctl)
		assert_int_equal(t->metrics[(size_t)t->counters->ctl + p->i].kind, CONTROL);
}

TEST(every_event_has_its_keys)
{
	for_each_event(check_keys, NULL);
}

TEST(every_type_of_counters_ends_in_its_times)
{
	for (size_t i = 0; i < n_collectors; i++) {
		const struct type *t = types[i];
		if (collectors[i]->collect != pmu_collect)
			continue;
		assert_string_equal(t->metrics[t->n_metrics - 2].name, "time_enabled");
		assert_string_equal(t->metrics[t->n_metrics - 1].name, "time_running");
	}
}

static const struct pmu_unit *find_unit(const struct pmu_processor *p, const char *type)
{
	for (size_t i = 0; i < p->n_units; i++)
		if (strcmp(p->units[i].type, type) == 0)
			return &p->units[i];
	fail_msg("%s has no %s", p->name, type);
	return NULL;
}

/*
 * Control registers in archives of Stampede from 2013, which contain them as decimal numbers. A 0
 * marks an index at which later versions of the format, and nodometer, count another event. Bits in
 * .unlike differ on purpose: Stampede's cores also had bit 21 (any thread), and its QPI had the
 * threshold and bit 15.
 */
static const struct {
	const char *type;
	uint32_t ctl[8], unlike;
} stampede[] = {
	{ "intel_snb",       { 6521296, 6488529, 6488785, 6489297 }, 1u << 21 },
	{ "intel_snb_imc",   { 20972292, 20974596, 20971521, 0 }, 0 },
	{ "intel_snb_qpi",   { 23101696, 23102464, 23103490, 23102467 }, 1u << 24 | 1u << 15 },
	{ "intel_snb_cbo",   { 0, 0, 0, 20971551 }, 0 },
	{ "intel_snb_pcu",   { 20971524, 20971525, 20971649, 20971650 }, 0 },
	{ "intel_snb_hau",   { 20972289, 20974593, 20971520, 20975386 }, 0 },
	{ "intel_snb_r2pci", { 20972580, 20975369, 20975367, 20975368 }, 0 },
};

TEST(sandy_bridge_has_the_registers_of_2013)
{
	const struct pmu_processor *snb = processor(PMU_INTEL, 6, 0x2d);
	for (size_t i = 0; i < ARRAY_SIZE(stampede); i++)
		for (size_t k = 0; k < 8; k++) {
			const struct pmu_unit *u = find_unit(snb, stampede[i].type);
			uint32_t old = stampede[i].ctl[k];
			if (old)
				assert_int_equal(u->event[k].ctl, old & ~stampede[i].unlike);
		}
	/* events that were at another index in 2013: the L3 filter, L1 stores, AVX, stalls */
	assert_int_equal(find_unit(snb, "intel_snb")->event[4].ctl, 6488401 & ~(1u << 21));
	assert_int_equal(find_unit(snb, "intel_snb")->event[7].ctl, 6488593 & ~(1u << 21));
	assert_int_equal(find_unit(snb, "intel_snb_cbo")->event[0].ctl, 20972340);
}

/* Control registers CTL0 to CTL3 of four CPUs in the example of the raw format's description. */
static const uint32_t ranger[4][4] = {
	[3] = { 4259958, 4391234, 4423427, 4405240 },	/* CPU 11 */
	[2] = { 4259958, 4391234, 4405239, 4423427 },	/* CPU 10 */
	[1] = { 4259958, 4405238, 4391234, 4423427 },	/* CPU 13 */
	[0] = { 4392928, 4259958, 4391234, 4423427 },	/* CPU 12 */
};

TEST(family_10h_rotates_its_events_as_the_format_shows)
{
	const struct pmu_processor *p = processor(PMU_AMD, 0x10, 9);
	assert_int_equal(p->n_units, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(p->units[i].turns, 4);
		for (size_t k = 0; k < 4; k++)
			assert_int_equal(p->units[i].event[k].ctl, ranger[p->units[i].turn][k]);
	}
}

/*
 * Check that the event group with this leader has the events of u's table, on this CPU and PMU
 * type.
 */
static void check_group(const struct pmu_unit *u, int leader, int cpu, uint32_t type)
{
	int at = leader;
	for (size_t i = 0; i < PMU_GROUP; i++) {
		const struct pmu_event *e = i < PMU_EVENTS ? &u->event[i]
							   : &u->fixed[i - PMU_EVENTS];
		const struct opened *o = &script.fd[at];
		if (!e->name)
			continue;
		assert_int_equal(o->cpu, cpu);
		assert_int_equal(o->leader, leader);
		assert_int_equal(o->config, e->config);
		assert_int_equal(o->config1, e->config1);
		assert_int_equal(o->type, e->pmu ? 9 : type);
		assert_int_equal(o->user_only, e->ctl == 0x410076);
		at++;
	}
	assert_true(at == script.n || script.fd[at].leader == at);
}

static int next_group(int at)
{
	int leader = script.fd[at].leader;
	while (at < script.n && script.fd[at].leader == leader)
		at++;
	return at;
}

static void check_core(const struct pmu_processor *p, const struct pmu_unit *u)
{
	struct node n CLEANUP(node_free);
	make_processor(&n, p, u->threads == PMU_HT);
	assert_int_equal(node_collect(&n, u->type, true), 0);
	assert_int_equal(n.source.rows.n, 8);
	for (int at = 0; at < script.n; at = next_group(at))
		if (!u->turns || (unsigned)script.fd[at].cpu % u->turns == u->turn)
			check_group(u, at, script.fd[at].cpu, strcmp(u->pmu, "cpu") == 0 ? 4 : 8);
}

/*
 * Count the units of p with u's type (*all), and how many of them precede u (*before). These units
 * are parts of one box. Each part has its own event groups, opened in the order of the table.
 */
static void count_parts(const struct pmu_processor *p, const struct pmu_unit *u, size_t *before,
			size_t *all)
{
	*before = *all = 0;
	for (size_t i = 0; i < p->n_units; i++)
		if (strcmp(p->units[i].type, u->type) == 0) {
			*before += &p->units[i] < u;
			++*all;
		}
}

static void check_boxes(const struct pmu_processor *p, const struct pmu_unit *u)
{
	struct node n CLEANUP(node_free);
	bool one = u->scope != PMU_PER_BOX;
	size_t rows = one ? 2 : 4, before, all;
	int at = 0;
	char name[64];
	make_processor(&n, p, false);
	count_parts(p, u, &before, &all);
	node_pmu(&n, "uncore_imc_free_running_0", "99\n", "0\n");
	for (int box = 0; box < (one ? 1 : 12); box += 11) {	/* only boxes 0 and 11 */
		snprintf(name, sizeof(name), "%s%s", u->pmu, one ? "" : box ? "_11" : "_0");
		node_pmu(&n, name, box ? "31\n" : "20\n", "1,5\n");
	}
	assert_int_equal(node_collect(&n, u->type, true), 0);
	assert_int_equal(n.source.rows.n, all * rows);
	for (size_t i = 0; i < before * rows; i++)
		at = next_group(at);
	check_group(u, at, 1, 20);
	check_group(u, next_group(at), 5, 20);
	snprintf(name, sizeof(name), "1/11%s", u->part ? u->part : "");
	if (!one)
		assert_text(rows_device(&n.source.rows, before * rows + 3), str_of(name));
	snprintf(name, sizeof(name), "%s%s", u->scope == PMU_PER_BOX ? "1/0" :
		 u->scope == PMU_BY_CPU ? "5" : "1", u->part ? u->part : "");
	assert_text(rows_device(&n.source.rows, before * rows + 1), str_of(name));
}

static void check_units(bool cores)
{
	for (size_t i = 0; i < n_pmu_processors; i++)
		for (size_t k = 0; k < pmu_processors[i]->n_units; k++) {
			const struct pmu_unit *u = &pmu_processors[i]->units[k];
			if (pmu_processors[i]->vendor == PMU_ANY ||
			    pmu_processors[i]->vendor == PMU_OTHERS ||
			    cores != (u->scope == PMU_PER_CPU))
				continue;
			if (cores)
				check_core(pmu_processors[i], u);
			else
				check_boxes(pmu_processors[i], u);
		}
}

TEST(every_unit_of_a_core_is_opened_where_it_counts)
{
	check_units(true);
}

TEST(every_unit_of_a_package_is_opened_where_it_counts)
{
	need_hwloc();
	check_units(false);
}

/* The models are from Linux's asm/intel-family.h and asm/cputype.h, and AMD's revision guides. */
TEST(processors_in_hpc_have_their_table)
{
	static const struct {
		enum pmu_vendor vendor;
		unsigned family, model;
		const char *name;
	} cases[] = {
		{ PMU_AMD, 0x10, 0x09, "AMD 10h" },		/* Magny-Cours */
		{ PMU_AMD, 0x15, 0x02, "AMD 15h" },		/* Abu Dhabi */
		{ PMU_AMD, 0x17, 0x01, "AMD Zen" },		/* Naples */
		{ PMU_AMD, 0x17, 0x31, "AMD Zen 2" },		/* Rome */
		{ PMU_AMD, 0x19, 0x01, "AMD Zen 3" },		/* Milan */
		{ PMU_AMD, 0x19, 0x11, "AMD Zen 4" },		/* Genoa */
		{ PMU_AMD, 0x19, 0xa0, "AMD Zen 4" },		/* Bergamo */
		{ PMU_AMD, 0x1a, 0x02, "AMD Zen 5" },		/* Turin */
		{ PMU_AMD, 0x1a, 0x11, "AMD Zen 5" },		/* Turin Dense */
		{ PMU_INTEL, 6, 0x1a, "Intel Nehalem" },
		{ PMU_INTEL, 6, 0x2c, "Intel Westmere" },
		{ PMU_INTEL, 6, 0x2d, "Intel Sandy Bridge" },
		{ PMU_INTEL, 6, 0x3e, "Intel Ivy Bridge" },
		{ PMU_INTEL, 6, 0x3f, "Intel Haswell" },
		{ PMU_INTEL, 6, 0x4f, "Intel Broadwell" },
		/* this model is also Cascade Lake and Cooper Lake */
		{ PMU_INTEL, 6, 0x55, "Intel Skylake" },
		{ PMU_INTEL, 6, 0x57, "Intel Knights Landing" },
		{ PMU_INTEL, 6, 0x6a, "Intel Ice Lake" },
		{ PMU_INTEL, 6, 0x8f, "Intel Sapphire and Emerald Rapids" },
		{ PMU_INTEL, 6, 0xcf, "Intel Sapphire and Emerald Rapids" },
		{ PMU_INTEL, 6, 0xad, "Intel Granite Rapids" },
		{ PMU_ARM, 0x41, 0xd0c, "ARM Neoverse" },	/* Neoverse N1 */
		{ PMU_ARM, 0x41, 0xd4f, "ARM Neoverse" },	/* Neoverse V2 (Grace) */
		{ PMU_ARM, 0x41, 0xd84, "ARM Neoverse" },	/* Neoverse V3 */
		{ PMU_IBM, 9, 0, "IBM POWER9" },
		{ PMU_IBM, 10, 0, "IBM POWER10" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct pmu_processor *p = processor(cases[i].vendor, cases[i].family,
							  cases[i].model);
		assert_non_null(p);
		assert_string_equal(p->name, cases[i].name);
	}
	assert_null(processor(PMU_AMD, 0x1a, 0x50));	/* Zen 6 has other event codes */
	assert_null(processor(PMU_ARM, 0x48, 0xd0c));
}

TEST(a_type_of_another_processor_or_without_pmu_gives_a_reason)
{
	struct node n CLEANUP(node_free);
	make_processor(&n, processor(PMU_INTEL, 6, 0x2d), true);
	assert_int_equal(node_collect(&n, "intel_hsw_ht", true), -ENOENT);
	assert_string_equal(n.source.why, "processor is Intel Sandy Bridge; the type is for "
			    "Intel Broadwell, Intel Haswell");
	node_end_type(&n);
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), -ENOENT);
	assert_string_equal(n.source.why, "no perf PMU uncore_imc (a virtual machine, or no driver "
			    "for it)");
	node_end_type(&n);
	assert_int_equal(node_collect(&n, "intel_snb", true), 0);
	assert_int_equal(script.n, 8 * 7);	/* 4 general and 3 fixed counters per thread */
}

TEST(the_type_for_hyper_threading_counts_if_it_is_on)
{
	struct node n CLEANUP(node_free);
	const struct pmu_processor *haswell = processor(PMU_INTEL, 6, 0x3f);
	make_processor(&n, haswell, true);
	assert_int_equal(node_collect(&n, "intel_hsw", true), -ENOENT);
	assert_string_equal(n.source.why,
			    "Intel Haswell has other counters with hyper-threading");
	node_end_type(&n);
	assert_int_equal(node_collect(&n, "intel_hsw_ht", true), 0);
	node_end_type(&n);
	/* an offline thread does not give its counters to the other thread */
	put_cpuinfo(&n, haswell, false);
	node_put(&n, STR("off\n"), CPU_FOLDER "/smt/control");
	assert_int_equal(node_collect(&n, "intel_hsw_ht", true), 0);
}

/*
 * Linux's x86_schedule_events() halves a thread's number of general counters (gpmax) if the
 * workaround for an erratum of Sandy Bridge to Haswell is on.
 */
TEST(threads_that_get_half_of_the_counters_are_reported)
{
	static const struct {
		unsigned model;
		const char *type, *why;
		bool threads;
	} cases[] = {
		{ 0x2d, "intel_snb",    "Linux lends a thread half of them (erratum)", true },
		{ 0x3e, "intel_snb",    "Linux lends a thread half of them (erratum)", true },
		{ 0x3f, "intel_hsw_ht", "Linux lends a thread half of them (erratum)", true },
		{ 0x2d, "intel_snb",    "other programs hold them", false },
		{ 0x4f, "intel_hsw_ht", "other programs hold them", true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct node n CLEANUP(node_free);
		make_processor(&n, processor(PMU_INTEL, 6, cases[i].model), cases[i].threads);
		script.running = 0;
		assert_int_equal(node_collect(&n, cases[i].type, true), -ENOENT);
		assert_non_null(strstr(n.source.why, cases[i].why));
	}
}

TEST(a_captured_tree_without_sysfs_has_what_its_cpuinfo_says)
{
	struct node n CLEANUP(node_free);
	struct pmu_counter c;
	node_make(&n, "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
		  "model\t\t: 45\nsiblings\t: 4\ncpu cores\t: 2\n\nprocessor\t: 3\n");
	n.root.in_root = true;
	assert_int_equal(node_collect(&n, "intel_snb", true), -ENOENT);
	assert_true(pmu_planned(&n.source, 4 * 7 - 1, &c));
	assert_false(pmu_planned(&n.source, 4 * 7, &c));
	assert_string_equal(c.device, "3");
	assert_int_equal(c.type, 4);
}

TEST(a_counter_wraps_at_its_width)
{
	struct node n CLEANUP(node_free);
	make_processor(&n, processor(PMU_INTEL, 6, 0x2d), false);
	script.value = ((uint64_t)1 << 48) - 1;
	assert_int_equal(node_collect(&n, "intel_snb", true), 0);
	assert_int_equal(rows_values(&n.source.rows, 0)[8], ((uint64_t)1 << 48) - 1);
	assert_int_equal(rows_values(&n.source.rows, 0)[9], 0);
	assert_int_equal(rows_values(&n.source.rows, 0)[0], 0x4381d0);
}

int main(void)
{
	RUN(cmocka_unit_test(events_have_the_encodings_of_libpfm4),
	    cmocka_unit_test(events_of_pmu_msr_have_the_codes_of_the_kernel),
	    cmocka_unit_test(every_event_has_its_keys),
	    cmocka_unit_test(every_type_of_counters_ends_in_its_times),
	    cmocka_unit_test(sandy_bridge_has_the_registers_of_2013),
	    cmocka_unit_test(family_10h_rotates_its_events_as_the_format_shows),
	    cmocka_unit_test(every_unit_of_a_core_is_opened_where_it_counts),
	    cmocka_unit_test(every_unit_of_a_package_is_opened_where_it_counts),
	    cmocka_unit_test(a_type_of_another_processor_or_without_pmu_gives_a_reason),
	    cmocka_unit_test(the_type_for_hyper_threading_counts_if_it_is_on),
	    cmocka_unit_test(processors_in_hpc_have_their_table),
	    cmocka_unit_test(threads_that_get_half_of_the_counters_are_reported),
	    cmocka_unit_test(a_captured_tree_without_sysfs_has_what_its_cpuinfo_says),
	    cmocka_unit_test(a_counter_wraps_at_its_width));
}
