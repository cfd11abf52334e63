/* SPDX-License-Identifier: BSD-3-Clause */
/* test_steady.c - on a large node, samples of all types open nothing and allocate nothing */
#include "tests/unit/test.h"

#include "recorder/live.h"
#include "recorder/job_summary.h"
#include "base/linux.h"
#include "tests/unit/perf_script.h"

#define CPUS 64
#define SAMPLES 5
#define DEADLINE_NS 10000000000

/*
 * Numbers of calls. The linker option -Wl,--wrap= redirects the calls to the functions below, which
 * count them.
 */
static size_t allocations, opens;
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

int __wrap_openat(int dir, const char *path, int flags, ...)
{
	opens++;
	return __real_openat(dir, path, flags, 0600);
}

/* Replace syscall(). No call through it has more than four arguments. */
long __wrap_syscall(long number, ...)
{
	long a[4];
	va_list ap;
	va_start(ap, number);
	for (size_t i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	opens += number == SYS_openat2;
	return __real_syscall(number, a[0], a[1], a[2], a[3]);
}

/*
 * Types of the tree that tests/bench/node.sh makes. net and tmpfs may exist as well, if this
 * machine's kernel has them.
 */
static const char *const steady_types[] = {
	"block", "cpu", "cpufreq", "cxi", "edac", "ext4", "hw_counters", "hwmon_energy",
	"hwmon_fan", "hwmon_power", "hwmon_temp", "ib", "ib_ext", "intel_4pmc3", "intel_rapl",
	"intel_skx_cha", "intel_skx_imc", "jbd2", "job", "ldlm", "ldlm_cbd", "llite", "lnet",
	"mdc", "mem", "meminfo", "nfs", "nfsd", "numa", "opa", "osc", "perf_sw", "proc", "ps",
	"psi", "rapl", "sysv_shm", "thermal_throttle", "vfs", "vm", "xfs",
};

static struct large {
	struct tree root;
	struct sampler s;
	enum type_use *use;
	struct buf rows;
} large;

/*
 * Make the tree and its sampler. Type tcp is off, because new connections of other programs would
 * allocate memory. The sampler treats the tree as a live node, so that counters are opened. Only
 * type proc treats it as a captured tree, because a folder does not list its processes in order, as
 * /proc does. Isolated types are collected in this process, where their allocations are counted.
 */
static void make(struct large *l)
{
	const char *top = getenv("srcdir");
	char command[512];
	*l = (struct large){ .use = xrealloc(NULL, n_collectors * sizeof(*l->use)) };
	script_start();
	tree_make(&l->root);
	snprintf(command, sizeof(command), "%s/tests/bench/node.sh %s %d", top ? top : ".",
		 l->root.path, CPUS);
	assert_int_equal(system(command), 0);
	for (size_t i = 0; i < n_collectors; i++)
		l->use[i] = strcmp(collectors[i]->type->name, "tcp") == 0 ? USE_OFF : USE_ON;
	assert_int_equal(sampler_init(&l->s, l->root.path, l->use, DEADLINE_NS), 0);
	l->s.root.in_root = l->s.shared.files.in_root = false;
	for (size_t i = 0; i < n_collectors; i++) {
		struct type_state *t = &l->s.type[i];
		t->isolated = false;
		t->source.files.in_root = strcmp(t->c->type->name, "proc") == 0;
	}
}

static void pass_time(void)
{
	script.enabled += 1000;
	script.running += 1000;
}

static void take_sample(struct large *l)
{
	pass_time();
	l->rows.n = 0;
	sampler_collect(&l->s);
	sampler_put_rows(&l->s, &l->rows, 0, 0);
}

/*
 * The first sample finds the devices, the second uses what the first has learnt, and the third must
 * do nothing new.
 */
static int begin(void **state)
{
	*state = &large;
	make(&large);
	for (int i = 0; i < 3; i++)
		take_sample(&large);
	return 0;
}

static int end(void **state)
{
	struct large *l = *state;
	sampler_free(&l->s);
	free(l->use);
	buf_free(&l->rows);
	tree_free(&l->root);
	return 0;
}

static const struct type_state *type_of(const struct large *l, const char *name)
{
	for (size_t i = 0; i < n_collectors; i++)
		if (strcmp(types[i]->name, name) == 0)
			return &l->s.type[i];
	fail_msg("no type %s", name);
	return NULL;
}

TEST(all_types_are_there)
{
	need_hwloc();
	for (size_t i = 0; i < ARRAY_SIZE(steady_types); i++) {
		const struct type_state *t = type_of(&large, steady_types[i]);
		if (t->result != 0 || t->source.rows.n == 0)
			fail_msg("%s: %s", steady_types[i], t->source.why);
	}
	assert_true(allocations > 0 && opens > 0);	/* both are counted in the first samples */
}

TEST(a_type_opens_nothing_and_allocates_nothing)
{
	for (size_t i = 0; i < large.s.n_collected; i++) {
		struct type_state *t = large.s.collected[i];
		allocations = opens = 0;
		shared_clear(&large.s.shared, false);
		pass_time();
		source_clear(&t->source);
		assert_int_equal(t->c->collect(&t->source), t->result);
		if (allocations || opens)
			fail_msg("%s: %zu allocations, %zu opens", t->c->type->name, allocations,
				 opens);
	}
}

TEST(a_sample_opens_nothing_and_allocates_nothing)
{
	allocations = opens = 0;
	for (int i = 0; i < SAMPLES; i++)
		take_sample(&large);
	assert_int_equal(allocations, 0);
	assert_int_equal(opens, 0);
}

static size_t leaders_on(int cpu)
{
	size_t n = 0;
	for (int fd = 0; fd < script.n; fd++)
		n += script.fd[fd].leader == fd && script.fd[fd].cpu == cpu;
	return n;
}

TEST(samples_with_running_jobs_allocate_nothing)
{
	struct job_summaries summary CLEANUP(job_summary_free) = { .n = 0 };
	struct live live CLEANUP(live_free) = { .n_types = 0 };
	int64_t now = 1000000000;

	for (int i = 0; i < 2 + SAMPLES; i++) {
		if (i < 2)
			job_summary_begin(&summary, i ? STR("8") : STR("7"), 1);
		take_sample(&large);
		if (i == 2)
			allocations = 0;
		now += 1000000000;
		live_fill(&live, &large.s, now / 1000, STR("7,8"), STR(""));
		job_summary_take(&summary, &(struct jobs){ 0 }, &live.record, now);
	}
	assert_int_equal(allocations, 0);
	assert_int_equal(summary.n, 2);
}

TEST(each_group_of_counters_is_read_once_in_a_sample)
{
	size_t groups = 0;
	need_hwloc();
	for (int fd = 0; fd < script.n; fd++)
		script.fd[fd].reads = 0;
	for (int i = 0; i < SAMPLES; i++)
		take_sample(&large);
	for (int fd = 0; fd < script.n; fd++) {
		bool leads = script.fd[fd].leader == fd;
		assert_int_equal(script.fd[fd].reads, leads ? SAMPLES : 0);
		groups += leads;
	}

	/*
	 * Each CPU has an event group of perf_sw and one of intel_4pmc3. The first CPU of each
	 * package also has the event groups of its boxes, 6 imc and 16 cha.
	 */
	for (int cpu = 0; cpu < CPUS; cpu++) {
		bool boxes = cpu == 0 || cpu == CPUS / 4;
		assert_int_equal(leaders_on(cpu), boxes ? 2 + 22 : 2);
	}
	size_t rows = type_of(&large, "perf_sw")->source.rows.n +
		      type_of(&large, "intel_4pmc3")->source.rows.n +
		      type_of(&large, "intel_skx_imc")->source.rows.n +
		      type_of(&large, "intel_skx_cha")->source.rows.n;
	assert_int_equal(rows, groups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_types_are_there),
		cmocka_unit_test(a_type_opens_nothing_and_allocates_nothing),
		cmocka_unit_test(a_sample_opens_nothing_and_allocates_nothing),
		cmocka_unit_test(samples_with_running_jobs_allocate_nothing),
		cmocka_unit_test(each_group_of_counters_is_read_once_in_a_sample),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
