/* SPDX-License-Identifier: BSD-3-Clause */
/* perf_script.h - replace perf.c by simulated event groups that the test controls */
#pragma once

#include <errno.h>
#include <string.h>
#include "collectors/pmu/libpfm.h"
#include "collectors/pmu/perf.h"
#include "collectors/pmu/pmu.h"
#include "tests/unit/machine.h"

#define SCRIPT_FDS 2048

static struct script {
	struct opened {
		bool open, on;
		int cpu, leader;	/* leader: index of the event group's first descriptor */
		uint32_t type;
		uint64_t config, config1;
		bool user_only;
		unsigned exclude;	/* exclude bits: flags LIBPFM_NO_... */
		int reads;
	} fd[SCRIPT_FDS];
	int n;				/* number of descriptors opened so far */
	int reads, closes;
	int refuse_cpu, refuse;	/* .refuse: error of perf_open() on CPU .refuse_cpu (-1: any CPU) */
	/* PERF_TYPE_HARDWARE events that do not exist, one bit each */
	uint64_t lacks;
	/*
	 * .fits: members of the largest event group that can be opened; .runs: members of the
	 * largest event group that counts; 0: no limit
	 */
	int fits, runs;
	int room;			/* most descriptors that can be open at once; 0: no limit */
	uint64_t enabled, running;	/* ns for which each event group was enabled, and ran */
	int idle_cpu;			/* event groups on this CPU never run; -1: no such CPU */
	bool mute;	/* perf_read() returns nothing, as for a counter in error state */
	/*
	 * value of an event group's first counter; each further counter reads 1 more than the one
	 * before
	 */
	uint64_t value;
} script;

static inline void script_start(void)
{
	script = (struct script){ .refuse_cpu = -1, .idle_cpu = -1, .enabled = 1000,
				  .running = 1000, .value = 100 };
}

static inline int script_open(void)
{
	int n = 0;
	for (int i = 0; i < script.n; i++)
		n += script.fd[i].open;
	return n;
}

static inline int script_members(int leader)
{
	int n = 0;
	for (int i = leader; i >= 0 && i < script.n; i++)
		n += script.fd[i].open && script.fd[i].leader == leader;
	return n;
}

int perf_open(struct perf_event_attr *attr, int cpu, int group_fd)
{
	if (script.refuse && (script.refuse_cpu < 0 || script.refuse_cpu == cpu))
		return script.refuse;
	if (script.room && script_open() == script.room)
		return -EMFILE;
	if (attr->type == PERF_TYPE_HARDWARE && script.lacks >> attr->config & 1)
		return -ENOENT;
	if (script.fits && script_members(group_fd) == script.fits)
		return -EINVAL;
	assert_true(script.n < SCRIPT_FDS);
	assert_int_equal(attr->size, sizeof(*attr));
	assert_int_equal(attr->read_format, PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
					    PERF_FORMAT_TOTAL_TIME_RUNNING);
	assert_int_equal(attr->disabled, group_fd < 0);
	assert_false(attr->pinned || attr->exclusive || attr->inherit);
	script.fd[script.n] = (struct opened){
		.open = true, .cpu = cpu, .leader = group_fd < 0 ? script.n : group_fd,
		.type = attr->type, .config = attr->config, .config1 = attr->config1,
		.user_only = attr->exclude_kernel,
		.exclude = (attr->exclude_user ? LIBPFM_NO_USER : 0) |
			   (attr->exclude_kernel ? LIBPFM_NO_KERNEL : 0) |
			   (attr->exclude_hv ? LIBPFM_NO_HV : 0) |
			   (attr->exclude_host ? LIBPFM_NO_HOST : 0) |
			   (attr->exclude_guest ? LIBPFM_NO_GUEST : 0),
	};
	if (group_fd >= 0)
		assert_int_equal(script.fd[group_fd].cpu, cpu);
	return script.n++;
}

int perf_enable(int fd)
{
	assert_int_equal(script.fd[fd].leader, fd);
	script.fd[fd].on = true;
	return 0;
}

int perf_read(int fd, uint64_t *value, size_t n)
{
	size_t members = (size_t)script_members(fd);
	script.reads++;
	if (script.mute)
		return 0;
	script.fd[fd].reads++;
	assert_true(script.fd[fd].open && script.fd[fd].on && script.fd[fd].leader == fd);
	bool rests = script.fd[fd].cpu == script.idle_cpu ||
		     (script.runs && members > (size_t)script.runs);
	assert_true(n >= members + 3);
	value[0] = members;
	value[1] = script.enabled;
	value[2] = rests ? 0 : script.running;
	for (size_t i = 0; i < members; i++)
		value[3 + i] = script.value + i;
	return (int)(3 + members);
}

void perf_close(int fd)
{
	assert_true(script.fd[fd].open);
	script.fd[fd].open = false;
	script.closes++;
}

/* A simulated node: its files, and the agent's state for one collector. */
struct node {
	struct tree tree;
	struct files root;
	struct shared shared;
	struct source source;
	const struct collector *type;
};

static inline PRINTF(3, 4) void node_put(struct node *n, struct str text, const char *fmt, ...)
{
	char path[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	tree_put(&n->tree, path, text);
}

#define EVENT_SOURCES "sys/bus/event_source/devices"

static inline void node_make(struct node *n, const char *cpuinfo)
{
	*n = (struct node){ .type = NULL };
	script_start();
	tree_make(&n->tree);
	node_put(n, str_of(cpuinfo), "proc/cpuinfo");
	/* Treat the test's files as a running system, not as a captured tree. */
	n->root = (struct files){ .rootfd = n->tree.fd };
	n->shared.files = n->root;
}

static inline void node_pmu(struct node *n, const char *name, const char *type,
			    const char *cpumask)
{
	node_put(n, str_of(type), EVENT_SOURCES "/%s/type", name);
	if (cpumask)
		node_put(n, str_of(cpumask), EVENT_SOURCES "/%s/cpumask", name);
}

/* Take a sample of a type. rescan: search for devices, as the agent does for its first sample. */
static inline int node_collect(struct node *n, const char *type, bool rescan)
{
	if (!n->type) {
		n->type = collector_find(type);
		assert_non_null(n->type);
		source_init(&n->source, &n->root, n->type->type->metrics, n->type->type->n_metrics);
		n->source.data = n->type->data;
		n->source.shared = &n->shared;
	}
	script.enabled += 1000;
	if (script.running)
		script.running += 1000;
	n->source.rescan = rescan;
	shared_clear(&n->shared, rescan);
	source_clear(&n->source);
	return n->type->collect(&n->source);
}

static inline void node_end_type(struct node *n)
{
	if (n->type)
		source_free(&n->source);
	n->type = NULL;
}

static inline void node_free(struct node *n)	/* function for CLEANUP() */
{
	node_end_type(n);
	shared_free(&n->shared);
	tree_free(&n->tree);
	assert_int_equal(script_open(), 0);
}

static inline const struct pmu_processor *processor(enum pmu_vendor vendor, unsigned family,
					     unsigned model)
{
	const struct pmu_processor *found = NULL;
	for (size_t i = 0; i < n_pmu_processors; i++) {
		const struct pmu_processor *p = pmu_processors[i];
		if (p->vendor == PMU_ANY || p->vendor == PMU_OTHERS ||
		    !pmu_processor_is(p, (struct pmu_cpuid){ vendor, family, model }))
			continue;
		assert_null(found);	/* only one table may match a processor */
		found = p;
	}
	return found;
}

static const struct machine two_packages = { 8, .packages = 2, .threads = 1 };

static inline void put_cpuinfo(struct node *n, const struct pmu_processor *p, bool threads)
{
	static const char *const vendors[] = {
		[PMU_INTEL] = "GenuineIntel", [PMU_AMD] = "AuthenticAMD",
	};
	char text[160];
	if (p->vendor == PMU_IBM)
		snprintf(text, sizeof(text), "cpu\t\t: POWER%u (architected), altivec supported\n",
			 p->family);
	else if (p->vendor == PMU_ARM)
		snprintf(text, sizeof(text), "CPU implementer\t: 0x%x\nCPU part\t: 0x%x\n",
			 p->family, p->models[0].first);
	else
		snprintf(text, sizeof(text), "vendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\n"
			 "siblings\t: 4\ncpu cores\t: %u\n",
			 vendors[p->vendor], p->family, p->models[0].first, threads ? 2 : 4);
	node_put(n, str_of(text), "proc/cpuinfo");
}

static inline void make_processor(struct node *n, const struct pmu_processor *p, bool threads)
{
	bool arm = p->vendor == PMU_ARM;
	node_make(n, "");
	put_cpuinfo(n, p, threads);
	machine_put(&n->tree, &two_packages);
	node_pmu(n, arm ? "armv8_pmuv3" : "cpu", arm ? "8\n" : "4\n", NULL);
	node_pmu(n, "msr", "9\n", NULL);
	node_put(n, STR("event=0x01\n"), EVENT_SOURCES "/msr/events/aperf");
	node_put(n, STR("event=0x02\n"), EVENT_SOURCES "/msr/events/mperf");
	node_put(n, STR("event=0x06\n"), EVENT_SOURCES "/msr/events/irperf");
}
