/* SPDX-License-Identifier: BSD-3-Clause */
/* test_programs.c - programs in the kernel read what files show, of many groups at one moment */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/files.h"
#include "base/system/privileges.h"
#include "collectors/bpf/job_shared.h"
#include "collectors/collector.h"
#include "schema/types/job.h"

#define TICK_US 20000	/* user and system time are parts of a sum, by ticks of up to 10 ms each */
#define BUSY 8		/* jobs with a process, every other of which goes on */
#define PASSES 4	/* until the program is trusted: it was compared with files before */

static struct programs programs;
static struct files root;

static struct node {
	char slice[128], scope[160];	/* directories of the control groups */
	size_t jobs;
	pid_t pid[BUSY];
} node;

static size_t number(const char *name, size_t usual)
{
	const char *text = getenv(name);
	struct str rest = str_of(text ? text : "");
	uint64_t n;
	return str_take_u64(&rest, &n) ? n : usual;
}

static void write_to(const char *dir, const char *leaf, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", dir, leaf);
	int fd CLEANUP(close_fd) = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		return;		/* a controller of another hierarchy */
}

static void offer_controllers(const char *dir)
{
	static const char *const all[] = { "+cpu", "+io", "+memory", "+pids" };
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		write_to(dir, "cgroup.subtree_control", all[i]);
}

/* Slurm's: a job, a step, its user's processes and a task. */
static void each_group(size_t job, bool make)
{
	static const char *const below[] = { "", "/step_0", "/step_0/user", "/step_0/user/task_0" };
	char path[256];
	for (size_t i = 0; i < ARRAY_SIZE(below); i++) {
		snprintf(path, sizeof(path), "%s/job_%zu%s", node.scope, job,
			 below[make ? i : ARRAY_SIZE(below) - 1 - i]);
		if (make)
			assert_int_equal(mkdir(path, 0755), 0);
		else
			rmdir(path);
	}
}

static void burn(int ms)
{
	struct timespec t;
	do {
		for (int i = 0; i < 1000; i++)
			syscall(SYS_getppid);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}

/* Memory of all kinds, I/O and both kinds of time; then it tells, and rests or goes on. */
static _Noreturn void work(size_t i, int tell)
{
	size_t n = (i + 1) << 20;
	char path[256], file[] = "/var/tmp/nodometer-test-XXXXXX";
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(path, sizeof(path), "%s/job_%zu/step_0/user/task_0", node.scope, i);
	write_to(path, "cgroup.procs", "0");
	char *own = mmap(NULL, n, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, n / 2, PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(own, 1, n);
	memset(shared, 1, n / 2);
	int fd = mkstemp(file);
	unlink(file);
	if (fd >= 0 && write(fd, own, n / 4) > 0)
		fsync(fd);
	burn(20);
	if (write(tell, "", 1) != 1)
		_exit(1);
	while (i % 2)
		burn(1000000);
	for (;;)
		pause();
}

static int make_node(void **state)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;
	const char *at = NULL;
	int ready[2];
	char byte;
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !at; i++)
		if (statfs(places[i], &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			at = places[i];
	if (!at || geteuid() != 0)
		return 0;
	snprintf(node.slice, sizeof(node.slice), "%s/nodometer%d.slice", at, (int)getpid());
	snprintf(node.scope, sizeof(node.scope), "%s/slurmstepd.scope", node.slice);
	offer_controllers(at);
	if (mkdir(node.slice, 0755) < 0)
		return 0;	/* no rights: each test says why */
	offer_controllers(node.slice);
	assert_int_equal(mkdir(node.scope, 0755), 0);
	offer_controllers(node.scope);
	size_t jobs = number("GROUPS_OF_JOBS", 400) / 4;
	for (; node.jobs < jobs; node.jobs++)
		each_group(node.jobs, true);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	for (size_t i = 0; i < BUSY; i++) {
		node.pid[i] = fork();
		if (node.pid[i] == 0)
			work(i, ready[1]);
	}
	for (size_t i = 0; i < BUSY; i++)
		assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return 0;
}

static int end_node(void **state)
{
	(void)state;
	for (size_t i = 0; i < BUSY && node.pid[i]; i++) {
		kill(node.pid[i], SIGKILL);
		waitpid(node.pid[i], NULL, 0);
	}
	for (size_t i = 0; i < node.jobs; i++)
		each_group(i, false);
	rmdir(node.scope);
	rmdir(node.slice);
	programs_free(&programs);
	files_free(&root);
	return 0;
}

/* A way of reading a type, with the rows of its newest sample. */
struct way {
	struct source s;
	struct shared shared;
	const struct collector *c;
};

static void way_make(struct way *w, const char *type, struct programs *p)
{
	memset(w, 0, sizeof(*w));
	w->c = collector_find(type);
	source_init(&w->s, &root, w->c->type->metrics, w->c->type->n_metrics);
	w->shared.files.rootfd = root.rootfd;
	w->shared.programs = p;
	w->s.shared = &w->shared;
}

static void way_free(struct way *w)
{
	source_free(&w->s);
	shared_free(&w->shared);
}

static void look(struct way *w)
{
	source_clear(&w->s);
	assert_int_equal(w->c->collect(&w->s), 0);
}

static const uint64_t *values(const struct way *w, struct str device, const uint64_t **present)
{
	const struct rows *r = &w->s.rows;
	for (size_t i = 0; i < r->n; i++)
		if (str_eq(rows_device(r, i), device)) {
			*present = rows_present(r, i);
			return r->value + i * r->n_metrics;
		}
	return NULL;
}

/* Every value lies between what the file showed before and after, but for a tick. */
static void compare(const struct way *before, const struct way *is, const struct way *after,
		    uint64_t in_ticks)
{
	const struct rows *r = &is->s.rows;
	size_t compared = 0;
	for (size_t i = 0; i < r->n; i++) {
		const uint64_t *has, *has_a, *has_b, *v = values(is, rows_device(r, i), &has);
		const uint64_t *a = values(before, rows_device(r, i), &has_a);
		const uint64_t *b = values(after, rows_device(r, i), &has_b);
		for (size_t k = 0; a && b && k < r->n_metrics; k++) {
			uint64_t slack = in_ticks >> k & 1 ? TICK_US : 0;
			if (!((has_a[0] & has_b[0]) >> k & 1))
				continue;
			uint64_t low = a[k] < b[k] ? a[k] : b[k], high = a[k] < b[k] ? b[k] : a[k];
			if (!(has[0] >> k & 1) || v[k] + slack < low || v[k] > high + slack)
				fail_msg(STR_FMT " %s: %llu, by files %llu and %llu",
					 STR_ARG(rows_device(r, i)), r->metrics[k].name,
					 (unsigned long long)v[k], (unsigned long long)a[k],
					 (unsigned long long)b[k]);
			compared++;
		}
	}
	assert_true(compared >= r->n);
}

static void need(enum program_name name)
{
	program_load(&programs, name);
	if (programs.program[name].why[0])
		print_message("not loaded: %s\n", programs.program[name].why);
	if (!node.jobs || programs.program[name].why[0])
		skip();
}

/* The linker sends calls here, -Wl,--wrap=: what a program says is made wrong. */
static void (*tamper)(struct job_cells *c);
int __real_program_walk(const struct program *p);
int __wrap_program_walk(const struct program *p);

int __wrap_program_walk(const struct program *p)
{
	int r = __real_program_walk(p);
	struct job_shared *shared = p->shared;
	for (size_t i = 0; tamper && i < JOB_SLOTS; i++)
		tamper(&shared->cells[i]);
	return r;
}

static void halve(struct job_cells *c)
{
	c->value[CPU] /= 2;
}

static void forget(struct job_cells *c)
{
	c->walk = 0;
}

/* Devices are looked for each time, and so one more job is judged. */
static void look_again(struct way *w)
{
	w->s.rescan = true;
	look(w);
	w->s.rescan = false;
}

TEST(each_job_is_as_its_files_say)
{
	struct way files CLEANUP(way_free), again CLEANUP(way_free), bpf CLEANUP(way_free);
	need(PROGRAM_JOB);
	way_make(&files, "job", NULL);
	way_make(&again, "job", NULL);
	way_make(&bpf, "job", &programs);
	for (int i = 0; i < PASSES; i++)
		look(&bpf);
	look(&again);
	for (int i = 0; i < 5; i++) {
		look(&files);
		look(&bpf);
		look(&again);
		assert_int_equal(bpf.s.rows.n, node.jobs);
		assert_int_equal(files.s.rows.n, node.jobs);
		compare(&files, &bpf, &again, 1 << USER | 1 << SYSTEM);
		assert_in_range(bpf.s.bytes, 1, files.s.bytes / 10);	/* the program read it */
	}
	assert_int_equal(programs.program[PROGRAM_JOB].keys_off, 0);
	assert_string_equal(programs.program[PROGRAM_JOB].why, "");
}

TEST(a_value_that_goes_back_is_held_and_counted)
{
	struct way bpf CLEANUP(way_free);
	uint64_t was[BUSY];
	need(PROGRAM_JOB);
	way_make(&bpf, "job", &programs);
	for (int i = 0; i < PASSES; i++)
		look(&bpf);
	for (size_t i = 0; i < BUSY; i++)
		was[i] = bpf.s.rows.value[i * bpf.s.rows.n_metrics + CPU];
	uint64_t before = programs.program[PROGRAM_JOB].clamped;
	tamper = halve;
	look(&bpf);
	tamper = NULL;
	for (size_t i = 0; i < BUSY; i++)
		assert_int_equal(bpf.s.rows.value[i * bpf.s.rows.n_metrics + CPU], was[i]);
	assert_true(programs.program[PROGRAM_JOB].clamped >= before + BUSY);
}

TEST(a_key_that_differs_is_read_from_its_file)
{
	struct way files CLEANUP(way_free), again CLEANUP(way_free), bpf CLEANUP(way_free);
	need(PROGRAM_JOB);
	way_make(&files, "job", NULL);
	way_make(&again, "job", NULL);
	way_make(&bpf, "job", &programs);
	tamper = halve;
	for (int i = 0; i < 8; i++)
		look_again(&bpf);
	look(&files);
	look(&bpf);
	look(&again);
	tamper = NULL;
	assert_int_equal(programs.program[PROGRAM_JOB].keys_off & ~(1 << USER | 1 << SYSTEM), 1);
	compare(&files, &bpf, &again, 1 << USER | 1 << SYSTEM);
	programs.program[PROGRAM_JOB].keys_off = 0;
}

TEST(a_group_that_the_walk_does_not_see_is_read_from_its_files)
{
	struct way files CLEANUP(way_free), again CLEANUP(way_free), bpf CLEANUP(way_free);
	need(PROGRAM_JOB);
	way_make(&files, "job", NULL);
	way_make(&again, "job", NULL);
	way_make(&bpf, "job", &programs);
	for (int i = 0; i < PASSES; i++)
		look(&bpf);
	tamper = forget;
	look(&files);
	look(&bpf);
	look(&again);
	tamper = NULL;
	compare(&files, &bpf, &again, 0);
	assert_in_range(bpf.s.bytes, files.s.bytes, 2 * files.s.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_job_is_as_its_files_say),
		cmocka_unit_test(a_value_that_goes_back_is_held_and_counted),
		cmocka_unit_test(a_key_that_differs_is_read_from_its_file),
		cmocka_unit_test(a_group_that_the_walk_does_not_see_is_read_from_its_files),
	};
	if (files_open_root(&root, "/") < 0)
		return 1;
	return cmocka_run_group_tests(tests, make_node, end_node);
}
