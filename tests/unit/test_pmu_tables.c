/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pmu_tables.c - each processor's table: encodings, keys, and what is opened where */
#include "tests/unit/test.h"

#include <stdarg.h>
#include "tests/unit/perf_script.h"

/* A table's events, one after another. */
struct place {
	const struct pmu_unit *unit;
	const struct pmu_event *event;
	size_t i;		/* among the general or the fixed counters */
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

/* "snb_ep::L1D:REPLACEMENT 0x151 0x0" of pmu_encodings.txt */
static void check_encoding(const struct place *p, const void *with)
{
	char want[512];
	if (!*p->event->name)
		return;		/* libpfm4 has no name for it */
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

static const struct pmu_type *type_of(const struct pmu_unit *u)
{
	const struct collector *c = collector_find(u->type);
	if (!c)
		fail_msg("%s is no type", u->type);
	assert_true(c->collect == pmu_collect);
	assert_string_equal(((const struct pmu_type *)c->data)->name, u->type);
	return c->data;
}

static void check_keys(const struct place *p, const void *with)
{
	const struct pmu_type *t = type_of(p->unit);
	const struct collector *c = collector_find(p->unit->type);
	int first = p->fixed ? t->fixed : t->ctr;
	(void)with;
	assert_true(first >= 0);
	assert_true((size_t)first + p->i < c->n_metrics - PMU_TIME_KEYS);
	assert_int_equal(c->metrics[(size_t)first + p->i].kind, COUNTER);
	bool has_ctl = !p->fixed && t->ctl >= 0;
	assert_int_equal(p->event->ctl != 0, has_ctl);
	if (has_ctl)
		assert_int_equal(c->metrics[(size_t)t->ctl + p->i].kind, CONTROL);
}

TEST(every_event_has_its_keys)
{
	for_each_event(check_keys, NULL);
}

TEST(every_type_of_counters_ends_in_its_times)
{
	for (size_t i = 0; i < n_collectors; i++) {
		const struct collector *c = collectors[i];
		if (c->collect != pmu_collect)
			continue;
		assert_string_equal(c->metrics[c->n_metrics - 2].name, "time_enabled");
		assert_string_equal(c->metrics[c->n_metrics - 1].name, "time_running");
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

static const struct pmu_processor *processor(enum pmu_vendor vendor, unsigned family,
					     unsigned model)
{
	const struct pmu_processor *found = NULL;
	for (size_t i = 0; i < n_pmu_processors; i++) {
		const struct pmu_processor *p = pmu_processors[i];
		if (p->vendor == PMU_ANY ||
		    !pmu_processor_is(p, (struct pmu_cpuid){ vendor, family, model }))
			continue;
		assert_null(found);	/* one table only */
		found = p;
	}
	return found;
}

/*
 * Control registers in archives of Stampede, 2013 (decimal there). What differs on purpose: cores
 * had the bit of any thread (21) besides, QPI the threshold and bit 15; later versions, and we,
 * have other events in the places named by a 0.
 */
static const struct {
	const char *type;
	uint32_t ctl[8], unlike;
} stampede[] = {
	{ "intel_snb",       { 6521296, 6488529, 6488785, 6489297 }, 1u << 21 },
	{ "intel_snb_imc",   { 20972292, 20974596, 20971521, 0 }, 0 },
	{ "intel_snb_qpi",   { 23101696, 23102464, 23103490, 23102467 }, 1u << 24 | 1u << 15 },
	{ "intel_snb_cbo",   { 0, 0, 0, 20971551 }, 0 },
	{ "intel_pcu",       { 20971524, 20971525, 20971649, 20971650 }, 0 },
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
	/* what stood in other places then: the filter of the L3, stores of L1, AVX, stalls */
	assert_int_equal(find_unit(snb, "intel_snb")->event[4].ctl, 6488401 & ~(1u << 21));
	assert_int_equal(find_unit(snb, "intel_snb")->event[7].ctl, 6488593 & ~(1u << 21));
	assert_int_equal(find_unit(snb, "intel_snb_cbo")->event[0].ctl, 20972340);
}

/* The record group of the format's description: CPU, and the CTLs of its row. */
static const uint32_t ranger[4][4] = {
	[3] = { 4259958, 4391234, 4423427, 4405240 },	/* of CPU 11 */
	[2] = { 4259958, 4391234, 4405239, 4423427 },	/* 10 */
	[1] = { 4259958, 4405238, 4391234, 4423427 },	/* 13 */
	[0] = { 4392928, 4259958, 4391234, 4423427 },	/* 12 */
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

static const struct machine two_packages = { 8, .packages = 2, .threads = 1 };

static void put_cpuinfo(struct node *n, const struct pmu_processor *p, bool threads)
{
	static const char *const vendors[] = {
		[PMU_INTEL] = "GenuineIntel", [PMU_AMD] = "AuthenticAMD",
	};
	char text[160];
	if (p->vendor == PMU_ARM)
		snprintf(text, sizeof(text), "CPU implementer\t: 0x%x\nCPU part\t: 0x%x\n",
			 p->family, p->models[0].first);
	else
		snprintf(text, sizeof(text), "vendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\n"
			 "siblings\t: 4\ncpu cores\t: %u\n",
			 vendors[p->vendor], p->family, p->models[0].first, threads ? 2 : 4);
	node_put(n, str_of(text), "proc/cpuinfo");
}

static void make_processor(struct node *n, const struct pmu_processor *p, bool threads)
{
	bool arm = p->vendor == PMU_ARM;
	node_make(n, "");
	put_cpuinfo(n, p, threads);
	machine_put(&n->tree, &two_packages);
	node_pmu(n, arm ? "armv8_pmuv3_0" : "cpu", arm ? "8\n" : "4\n", NULL);
	node_pmu(n, "msr", "9\n", NULL);
	node_put(n, STR("event=0x01\n"), EVENT_SOURCES "/msr/events/aperf");
	node_put(n, STR("event=0x02\n"), EVENT_SOURCES "/msr/events/mperf");
	node_put(n, STR("event=0x04\n"), EVENT_SOURCES "/msr/events/irperf");
}

/* What must be open for one device, from the table alone. */
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
	assert_int_equal(n.sample.n_rows, 8);
	for (int at = 0; at < script.n; at = next_group(at))
		if (!u->turns || (unsigned)script.fd[at].cpu % u->turns == u->turn)
			check_group(u, at, script.fd[at].cpu, strcmp(u->pmu, "cpu") == 0 ? 4 : 8);
}

static void check_boxes(const struct pmu_processor *p, const struct pmu_unit *u)
{
	struct node n CLEANUP(node_free);
	bool one = u->scope != PMU_PER_BOX;
	char name[64];
	make_processor(&n, p, false);
	node_pmu(&n, "uncore_imc_free_running_0", "99\n", "0\n");
	for (int box = 0; box < (one ? 1 : 12); box += 11) {	/* boxes 0 and 11 */
		snprintf(name, sizeof(name), "%s%s", u->pmu, one ? "" : box ? "_11" : "_0");
		node_pmu(&n, name, box ? "31\n" : "20\n", "1,5\n");
	}
	assert_int_equal(node_collect(&n, u->type, true), 0);
	assert_int_equal(n.sample.n_rows, one ? 2 : 4);
	check_group(u, 0, 1, 20);
	check_group(u, next_group(0), 5, 20);
	assert_text(sample_device(&n.sample, 1), u->scope == PMU_PER_BOX ? STR("1/0") :
			u->scope == PMU_BY_CPU ? STR("5") : STR("1"));
	if (!one)
		assert_text(sample_device(&n.sample, 3), STR("1/11"));
}

static void check_units(bool cores)
{
	for (size_t i = 0; i < n_pmu_processors; i++)
		for (size_t k = 0; k < pmu_processors[i]->n_units; k++) {
			const struct pmu_unit *u = &pmu_processors[i]->units[k];
			if (pmu_processors[i]->vendor == PMU_ANY ||
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

TEST(a_type_of_another_processor_or_without_pmu_says_so)
{
	struct node n CLEANUP(node_free);
	make_processor(&n, processor(PMU_INTEL, 6, 0x2d), true);
	assert_int_equal(node_collect(&n, "intel_hsw_ht", true), -ENOENT);
	assert_string_equal(n.sample.why, "processor is Intel Sandy Bridge; the type is for "
			    "Intel Broadwell, Intel Haswell");
	node_end_type(&n);
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), -ENOENT);
	assert_string_equal(n.sample.why, "no perf PMU uncore_imc (a virtual machine, or no driver "
			    "for it)");
	node_end_type(&n);
	assert_int_equal(node_collect(&n, "intel_snb", true), 0);
	assert_int_equal(script.n, 8 * 7);	/* four events and three fixed, with two threads */
}

TEST(with_hyper_threading_the_other_type_counts)
{
	struct node n CLEANUP(node_free);
	const struct pmu_processor *haswell = processor(PMU_INTEL, 6, 0x3f);
	make_processor(&n, haswell, true);
	assert_int_equal(node_collect(&n, "intel_hsw", true), -ENOENT);
	assert_string_equal(n.sample.why,
			    "Intel Haswell has other counters with hyper-threading");
	node_end_type(&n);
	assert_int_equal(node_collect(&n, "intel_hsw_ht", true), 0);
	node_end_type(&n);
	/* a thread that was taken off-line leaves its counters to nobody */
	put_cpuinfo(&n, haswell, false);
	node_put(&n, STR("off\n"), CPU_FOLDER "/smt/control");
	assert_int_equal(node_collect(&n, "intel_hsw_ht", true), 0);
}

/* CPUs that type intel_snb_imc has its counters open on, and the devices of its rows. */
static void assert_readers(const struct node *n, const char *want)
{
	char got[64] = "";
	size_t at = 0;
	for (int i = 0; i < script.n; i++)
		if (script.fd[i].open && script.fd[i].leader == i)
			at += (size_t)snprintf(got + at, sizeof(got) - at, "%d ", script.fd[i].cpu);
	for (size_t i = 0; i < n->sample.n_rows; i++)
		at += (size_t)snprintf(got + at, sizeof(got) - at, " " STR_FMT,
				       STR_ARG(sample_device(&n->sample, i)));
	assert_string_equal(got, want);
}

static void make_memory(struct node *n, const char *cpumask)
{
	make_processor(n, processor(PMU_INTEL, 6, 0x2d), false);
	node_pmu(n, "uncore_imc_3", "20\n", cpumask);
}

static void take_off(struct node *n, unsigned first, unsigned how_many)
{
	struct machine m = two_packages;
	m.off = first;
	m.n_off = how_many;
	machine_put(&n->tree, &m);
}

TEST(the_cpu_that_reads_a_package_follows_hot_plug)
{
	need_hwloc();
	struct node n CLEANUP(node_free);
	make_memory(&n, "0,4\n");
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "0 4  0/3 1/3");
	take_off(&n, 4, 1);
	node_pmu(&n, "uncore_imc_3", "20\n", "0,5\n");		/* the kernel's choice */
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "0 5  0/3 1/3");
	take_off(&n, 4, 4);					/* a whole package */
	node_pmu(&n, "uncore_imc_3", "20\n", "0\n");
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "0  0/3");
	take_off(&n, 0, 0);
	node_pmu(&n, "uncore_imc_3", "20\n", "0,4\n");
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "0 4  0/3 1/3");
}

TEST(another_cpu_of_the_package_reads_for_one_that_is_off_line)
{
	need_hwloc();
	struct node n CLEANUP(node_free);
	make_memory(&n, "0,4\n");
	take_off(&n, 0, 2);
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "4 2  1/3 0/3");
	take_off(&n, 0, 4);
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "4  1/3");
}

TEST(without_a_cpumask_one_cpu_of_each_package_reads)
{
	need_hwloc();
	struct node n CLEANUP(node_free);
	make_memory(&n, NULL);
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "0 4  0/3 1/3");
}

TEST(a_package_that_the_cpumask_leaves_out_is_not_read)
{
	need_hwloc();
	struct node n CLEANUP(node_free);
	make_memory(&n, "4\n");
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), 0);
	assert_readers(&n, "4  1/3");
}

TEST(without_a_topology_cores_count_and_packages_say_why_not)
{
	struct node n CLEANUP(node_free);
	make_memory(&n, "0,4\n");
	for (unsigned cpu = 0; cpu < 8; cpu++)
		machine_drop_cpu(&n.tree, cpu);
	assert_int_equal(node_collect(&n, "intel_snb_imc", true), -ENOENT);
	assert_true(str_starts(str_of(n.sample.why), STR("topology: ")) ||
		    str_starts(str_of(n.sample.why), STR("no CPU is known to read")));
	node_end_type(&n);
	assert_int_equal(node_collect(&n, "intel_snb", true), 0);
	assert_int_equal(n.sample.n_rows, 8);
}

TEST(a_captured_tree_without_sysfs_has_what_its_cpuinfo_says)
{
	struct node n CLEANUP(node_free);
	struct pmu_counter c;
	node_make(&n, "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
		  "model\t\t: 45\nsiblings\t: 4\ncpu cores\t: 2\n\nprocessor\t: 3\n");
	n.root.in_root = true;
	assert_int_equal(node_collect(&n, "intel_snb", true), -ENOENT);
	assert_true(pmu_planned(&n.sample, 4 * 7 - 1, &c));
	assert_false(pmu_planned(&n.sample, 4 * 7, &c));
	assert_string_equal(c.device, "3");
	assert_int_equal(c.type, 4);
}

TEST(a_counter_wraps_at_its_width)
{
	struct node n CLEANUP(node_free);
	make_processor(&n, processor(PMU_INTEL, 6, 0x2d), false);
	script.value = ((uint64_t)1 << 48) - 1;
	assert_int_equal(node_collect(&n, "intel_snb", true), 0);
	assert_int_equal(sample_values(&n.sample, 0)[8], ((uint64_t)1 << 48) - 1);
	assert_int_equal(sample_values(&n.sample, 0)[9], 0);
	assert_int_equal(sample_values(&n.sample, 0)[0], 0x4381d0);
}

int main(void)
{
	RUN(cmocka_unit_test(events_have_the_encodings_of_libpfm4),
	    cmocka_unit_test(every_event_has_its_keys),
	    cmocka_unit_test(every_type_of_counters_ends_in_its_times),
	    cmocka_unit_test(sandy_bridge_has_the_registers_of_2013),
	    cmocka_unit_test(family_10h_rotates_its_events_as_the_format_shows),
	    cmocka_unit_test(every_unit_of_a_core_is_opened_where_it_counts),
	    cmocka_unit_test(every_unit_of_a_package_is_opened_where_it_counts),
	    cmocka_unit_test(a_type_of_another_processor_or_without_pmu_says_so),
	    cmocka_unit_test(with_hyper_threading_the_other_type_counts),
	    cmocka_unit_test(the_cpu_that_reads_a_package_follows_hot_plug),
	    cmocka_unit_test(another_cpu_of_the_package_reads_for_one_that_is_off_line),
	    cmocka_unit_test(without_a_cpumask_one_cpu_of_each_package_reads),
	    cmocka_unit_test(a_package_that_the_cpumask_leaves_out_is_not_read),
	    cmocka_unit_test(without_a_topology_cores_count_and_packages_say_why_not),
	    cmocka_unit_test(a_captured_tree_without_sysfs_has_what_its_cpuinfo_says),
	    cmocka_unit_test(a_counter_wraps_at_its_width));
}
