/* SPDX-License-Identifier: BSD-3-Clause */
/* test_programs.c - check that BPF programs read the same values as files, for many cgroups */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/files.h"
#include "base/system/privileges.h"
#include "collectors/bpf/job_shared.h"
#include "collectors/bpf/proc_shared.h"
#include "collectors/collector.h"
#include "schema/types/job.h"

#define TICK_US 20000	/* tolerance in us: CPU time is split into user and system by 10 ms ticks */
#define USER_ID 4711	/* id of an ordinary user */
#define BUSY 8		/* number of jobs with a process; every second process stays busy */
#define PASSES 4	/* samples in which a new program is verified against files */

static struct programs programs;
static struct files root;

static struct node {
	char slice[128], scope[160];	/* cgroups: of this test, and below it of Slurm's jobs */
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

/* Return a prefix for names of jobs and processes, since other runs of this test may be active. */
static const char *own_name(void)
{
	static char name[8];
	if (!name[0])
		snprintf(name, sizeof(name), "t%d", (int)getpid() % 100000);
	return name;
}

static void write_to(const char *dir, const char *leaf, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", dir, leaf);
	int fd CLEANUP(close_fd) = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		return;		/* the cgroup controller belongs to another hierarchy */
}

static void offer_controllers(const char *dir)
{
	static const char *const all[] = { "+cpu", "+io", "+memory", "+pids" };
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		write_to(dir, "cgroup.subtree_control", all[i]);
}

/* Make or remove Slurm's cgroups of a job: job, step, user processes and task. */
static void each_group(size_t job, bool make)
{
	static const char *const below[] = { "", "/step_0", "/step_0/user", "/step_0/user/task_0" };
	char path[256];
	for (size_t i = 0; i < ARRAY_SIZE(below); i++) {
		snprintf(path, sizeof(path), "%s/job_%s.%zu%s", node.scope, own_name(), job,
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

/*
 * Use memory of all kinds, I/O, user and system time in the cgroup of job i. Then write to the pipe
 * `tell`, and sleep or stay busy.
 */
static _Noreturn void work(size_t i, int tell)
{
	size_t n = (i + 1) << 20;
	char path[256], file[] = "/var/tmp/nodometer-test-XXXXXX";
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(path, sizeof(path), "%s/job_%s.%zu/step_0/user/task_0", node.scope, own_name(), i);
	write_to(path, "cgroup.procs", "0");
	char *own = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, n / 2, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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
		return 0;	/* without permission each test is skipped, with the reason */
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

/* A way to read a type (files or program), with the rows of its newest sample. */
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

/*
 * Return the values of a device, or NULL if it has no row. likely: index of the row to try first.
 */
static const uint64_t *values(const struct way *w, struct str device, size_t likely,
			      const uint64_t **present)
{
	const struct rows *r = &w->s.rows;
	for (size_t n = 0; n < r->n; n++) {
		size_t i = (likely + n) % r->n;
		if (!str_eq(rows_device(r, i), device))
			continue;
		*present = rows_present(r, i);
		return r->value + i * r->n_metrics;
	}
	return NULL;
}

/* Three ways to read a type: from files, by the BPF program, and from files again. */
struct ways {
	struct way files, bpf, again;
};

static void ways_make(struct ways *w, const char *type)
{
	way_make(&w->files, type, NULL);
	way_make(&w->again, type, NULL);
	way_make(&w->bpf, type, &programs);
}

static void ways_free(struct ways *w)
{
	way_free(&w->files);
	way_free(&w->bpf);
	way_free(&w->again);
}

static void look_each_way(struct ways *w)
{
	look(&w->files);
	look(&w->bpf);
	look(&w->again);
}

/*
 * Check the devices whose names begin with `first`: each value of the BPF program lies between the
 * values that were read from files before and after it. Keys in the bit mask in_ticks may differ by
 * TICK_US more. Returns the number of devices.
 */
static size_t compare_those(const char *first, const struct ways *w, uint64_t in_ticks)
{
	const struct rows *r = &w->bpf.s.rows;
	size_t compared = 0, n = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (!str_starts(rows_device(r, i), str_of(first)))
			continue;
		n++;
		const uint64_t *has, *has_a, *has_b;
		const uint64_t *v = values(&w->bpf, rows_device(r, i), i, &has);
		const uint64_t *a = values(&w->files, rows_device(r, i), i, &has_a);
		const uint64_t *b = values(&w->again, rows_device(r, i), i, &has_b);
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
	assert_true(compared >= n);
	return n;
}

static void compare(const struct ways *w, uint64_t in_ticks)
{
	assert_int_equal(compare_those(own_name(), w, in_ticks), node.jobs);
}

static uint64_t cpu_of(const struct way *w, size_t job)
{
	char device[32];
	const uint64_t *has;
	snprintf(device, sizeof(device), "%s.%zu", own_name(), job);
	return values(w, str_of(device), job, &has)[CPU];
}

static void need(enum program_name name)
{
	/* the program is loaded with the capabilities of the service's unit */
	assert_int_equal(privileges_use(PRIVILEGE_BPF | PRIVILEGE_PERFMON), 0);
	program_load(&programs, name);
	assert_int_equal(privileges_use(UINT64_MAX), 0);
	if (programs.program[name].why[0])
		print_message("not loaded: %s\n", programs.program[name].why);
	if (!node.jobs || programs.program[name].why[0])
		skip();
}

/*
 * The linker option -Wl,--wrap= sends calls of program_walk() here, so that `tamper` can corrupt
 * the results of a BPF program.
 */
static void (*tamper)(struct job_cells *c);
int __real_program_walk(struct program *p, void (*full)(void *arg), void *arg);
int __wrap_program_walk(struct program *p, void (*full)(void *arg), void *arg);

int __wrap_program_walk(struct program *p, void (*full)(void *arg), void *arg)
{
	int r = __real_program_walk(p, full, arg);
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

/*
 * Take a sample with a scan for devices. After each scan, one more job is verified against its
 * files.
 */
static void look_again(struct way *w)
{
	w->s.rescan = true;
	look(w);
	w->s.rescan = false;
}

TEST(the_program_reads_each_job_as_its_files_do)
{
	struct ways w CLEANUP(ways_free);
	int by_program = 0;
	need(PROGRAM_JOB);
	ways_make(&w, "job");
	for (int i = 0; i < PASSES; i++)
		look(&w.bpf);
	look(&w.again);
	/*
	 * The files of a cgroup are read until each value of the BPF program has agreed with its
	 * file, and cgroups of other programs on this machine come and go. This takes long on a
	 * busy machine, so verify one more job in each pass, for at most 30 s.
	 */
	for (int i = 0; i < 5 || (!by_program && i < 3000); i++) {
		if (i >= 5) {
			usleep(10000);
			look_again(&w.bpf);
		}
		look_each_way(&w);
		compare(&w, 1 << USER | 1 << SYSTEM);
		by_program += w.bpf.s.bytes <= w.files.s.bytes / 10;
	}
	if (!by_program)
		print_message("of %zu groups: %zu bytes of files, %zu with the program\n",
			      w.files.s.rows.n, (size_t)w.files.s.bytes, (size_t)w.bpf.s.bytes);
	assert_true(by_program > 0);
	assert_int_equal(programs.program[PROGRAM_JOB].keys_off, 0);
	assert_string_equal(programs.program[PROGRAM_JOB].why, "");
}

TEST(a_value_that_decreases_is_held_and_counted)
{
	struct way bpf CLEANUP(way_free);
	uint64_t was[BUSY];
	need(PROGRAM_JOB);
	way_make(&bpf, "job", &programs);
	for (int i = 0; i < PASSES; i++)
		look(&bpf);
	for (size_t i = 0; i < BUSY; i++)
		was[i] = cpu_of(&bpf, i);
	uint64_t before = programs.program[PROGRAM_JOB].clamped;
	tamper = halve;
	look(&bpf);
	tamper = NULL;
	for (size_t i = 0; i < BUSY; i++)
		assert_int_equal(cpu_of(&bpf, i), was[i]);
	assert_true(programs.program[PROGRAM_JOB].clamped >= before + BUSY);
}

TEST(a_key_that_differs_is_read_from_its_file)
{
	struct ways w CLEANUP(ways_free);
	need(PROGRAM_JOB);
	ways_make(&w, "job");
	tamper = halve;
	for (int i = 0; i < 5000 && !programs.program[PROGRAM_JOB].keys_off; i++)
		look_again(&w.bpf);	/* repeat until jobs with CPU time were verified */
	look_each_way(&w);
	tamper = NULL;
	assert_int_equal(programs.program[PROGRAM_JOB].keys_off & ~(1 << USER | 1 << SYSTEM), 1);
	compare(&w, 1 << USER | 1 << SYSTEM);
	programs.program[PROGRAM_JOB].keys_off = 0;
}

TEST(a_group_that_the_walk_does_not_see_is_read_from_its_files)
{
	struct ways w CLEANUP(ways_free);
	need(PROGRAM_JOB);
	ways_make(&w, "job");
	for (int i = 0; i < PASSES; i++)
		look(&w.bpf);
	tamper = forget;
	look_each_way(&w);
	tamper = NULL;
	compare(&w, 0);
	/*
	 * Files were read, since the walk missed a cgroup. Their size varies a little. Without
	 * files, only a tenth of the bytes would have been read.
	 */
	assert_in_range(w.bpf.s.bytes, w.files.s.bytes * 9 / 10, 2 * w.files.s.bytes);
}

TEST(the_scope_of_jobs_is_read_by_the_walk_that_reads_them)
{
	struct way bpf CLEANUP(way_free);
	bool no_file = false;
	need(PROGRAM_JOB);
	way_make(&bpf, "job", &programs);
	size_t judged = node.jobs + 20 * PASSES; /* all jobs have been verified by this pass */
	for (size_t i = 0; i < judged + 2000 && !no_file; i++) {
		look(&bpf);
		no_file = bpf.s.bytes == 0;
		if (i >= judged)	/* allow time to verify cgroups of other programs, too */
			nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	assert_true(no_file);
}

/* CPU time that the scope counted, but no job that still exists, belongs to the job that ended. */
TEST(a_job_that_ended_has_the_time_that_its_scope_counted)
{
	struct way bpf CLEANUP(way_free);
	size_t job = BUSY - 1;		/* a job with a busy process */
	struct rusage used;
	need(PROGRAM_JOB);
	way_make(&bpf, "job", &programs);
	for (int i = 0; i < PASSES; i++)
		look(&bpf);
	uint64_t before = cpu_of(&bpf, job);
	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	kill(node.pid[job], SIGKILL);
	assert_int_equal(wait4(node.pid[job], NULL, 0, &used), node.pid[job]);
	node.pid[job] = 0;
	each_group(job, false);
	look(&bpf);
	uint64_t us = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
		      (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
	assert_in_range(cpu_of(&bpf, job), us - 2 * TICK_US, us + 2 * TICK_US);
	assert_true(cpu_of(&bpf, job) > before);
}

/* Take a name, user, CPUs and memory that depend on i, write to the pipe `tell`, and sleep. */
static _Noreturn void rest(size_t i, int tell)
{
	char name[16];
	cpu_set_t cpus;
	size_t n = (i % 16 + 1) << 13;
	snprintf(name, sizeof(name), "%s\\%zu/\n", own_name(), i % 10);
	prctl(PR_SET_NAME, name);
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (i % 2 && sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		_exit(1);
	char *own = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(own, 1, n);
	memset(shared, 1, n / 2);
	munmap(own, n / 2);
	if (setresgid(USER_ID, USER_ID, USER_ID) < 0 ||
	    setresuid(USER_ID + (uid_t)i % 3, USER_ID, USER_ID) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || write(tell, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static pid_t *make_processes(size_t n)
{
	pid_t *pid = calloc(n, sizeof(*pid));
	own_name();
	char byte;
	int ready[2];
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	for (size_t i = 0; i < n; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (pid[i] == 0)
			rest(i, ready[1]);
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end_processes(pid_t *pid, size_t n)
{
	for (size_t i = 0; i < n; i++)
		kill(pid[i], SIGKILL);
	for (size_t i = 0; i < n; i++)
		waitpid(pid[i], NULL, 0);
	free(pid);
}

/* The test makes more processes than the shared memory has room for. */
TEST(the_program_reads_each_process_as_its_status_does)
{
	struct ways w CLEANUP(ways_free);
	size_t n = number("PROCESSES", PROC_TASKS + 100);
	need(PROGRAM_PROC);
	pid_t *pid = make_processes(n);
	ways_make(&w, "proc");
	for (int i = 0; i < PASSES; i++)
		look(&w.bpf);
	look_each_way(&w);
	/* the program read everything, and no file was read */
	assert_int_equal(w.bpf.s.bytes, 0);
	assert_int_equal(compare_those(own_name(), &w, 0), n);
	assert_string_equal(programs.program[PROGRAM_PROC].why, "");
	end_processes(pid, n);
}

/*
 * Before Linux 6.16, memory in /proc/PID/status leaves out pages that a CPU has counted, but not
 * yet added to the total. The BPF program finds out from that file whether it must leave them out,
 * too.
 */
TEST(memory_is_summed_up_as_the_file_does)
{
	struct ways w CLEANUP(ways_free);
	need(PROGRAM_PROC);
	pid_t *pid = make_processes(PROC_TASKS / 4);
	struct proc_shared *shared = programs.program[PROGRAM_PROC].shared;
	shared->approximate ^= 1;
	ways_make(&w, "proc");
	for (int i = 0; i < 4 * PASSES; i++)
		look_again(&w.bpf);
	look_each_way(&w);
	assert_int_equal(compare_those(own_name(), &w, 0), PROC_TASKS / 4);
	end_processes(pid, PROC_TASKS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_program_reads_each_job_as_its_files_do),
		cmocka_unit_test(a_value_that_decreases_is_held_and_counted),
		cmocka_unit_test(a_key_that_differs_is_read_from_its_file),
		cmocka_unit_test(a_group_that_the_walk_does_not_see_is_read_from_its_files),
		cmocka_unit_test(the_scope_of_jobs_is_read_by_the_walk_that_reads_them),
		cmocka_unit_test(a_job_that_ended_has_the_time_that_its_scope_counted),
		cmocka_unit_test(the_program_reads_each_process_as_its_status_does),
		cmocka_unit_test(memory_is_summed_up_as_the_file_does),
	};
	if (files_open_root(&root, "/") < 0)
		return 1;
	return cmocka_run_group_tests(tests, make_node, end_node);
}
