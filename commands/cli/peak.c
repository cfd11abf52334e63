/* SPDX-License-Identifier: BSD-3-Clause */
/* peak.c - command peak: measure the peak performance of this node */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "archive/host.h"
#include "base/log.h"
#include "base/system/bounded.h"
#include "base/system/child.h"
#include "cli/command.h"
#include "cli/peak_loops.h"
#include "collectors/pmu/pmu.h"
#include "recorder/owner.h"
#include "recorder/peaks.h"

#define SECONDS_USUAL 3
#define KEEP_MS       1000	/* ms; timeout for storing the result in the archive */
/* assumed size of a CPU's share of the caches if it is unknown; no CPU has a larger share */
#define CACHE_MAX     (64u << 20)
/* assumed speed at which a CPU writes to its arrays before the measurement, bytes per second */
#define MEMORY_RATE   1e9

static const struct cli_option options[] = {
	{ "seconds", "N", "seconds per measurement, 0.001 to 600 (default 3)" },
};

struct node_memory {
	unsigned cpus;
	double caches, available;	/* size of all caches, and available memory, in bytes */
};

struct peak_measure {
	struct node_memory node;
	cpu_set_t *set;		/* CPUs that this process may use */
	size_t set_size;
	unsigned cpus;		/* number of CPUs in .set */
	int64_t ns;
	/* number of elements in each of the three arrays that a CPU uses, see peak_triad() */
	size_t numbers;
	/* result of each CPU, in memory that is shared with the measuring processes */
	double *rate;
};

static uint64_t read_kib(const struct files *root, const char *path)
{
	char line[64];
	uint64_t kib = 0;
	struct str text = files_line(root, path, line, sizeof(line));
	str_take_u64(&text, &kib);
	return kib;
}

/*
 * Return the size in bytes of a CPU's last-level cache, or 0 if a CPU with a lower number shares
 * the cache.
 */
static double cache_of(const struct files *root, unsigned cpu)
{
	char path[100], line[1024];
	uint64_t first;

	for (int level = 3; level >= 2; level--) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cache/index%d/"
			 "shared_cpu_list", cpu, level);
		struct str list = files_line(root, path, line, sizeof(line));
		if (!str_take_u64(&list, &first))
			continue;
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cache/index%d/size",
			 cpu, level);
		return first == cpu ? (double)read_kib(root, path) * 1024 : 0;
	}
	return CACHE_MAX;
}

static double available_memory(struct files *root)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text, line;
	uint64_t kib;

	if (files_read(root, "proc/meminfo", FILE_LINES, &b, &text) < 0)
		return 0;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, STR("MemAvailable:"))) {
			line = str_trim(line);
			return str_take_u64(&line, &kib) ? (double)kib * 1024 : 0;
		}
	return 0;
}

static int peak_read_node(struct node_memory *n, const char *path)
{
	struct files root;
	char line[1024];
	unsigned first, last;
	int e = files_open_root(&root, path);

	if (e < 0)
		return e;
	struct str list = files_line(&root, "sys/devices/system/cpu/online", line, sizeof(line));
	while (pmu_take_range(&list, &first, &last))
		for (unsigned cpu = first; cpu <= last; cpu++) {
			n->cpus++;
			n->caches += cache_of(&root, cpu);
		}
	n->available = available_memory(&root);
	files_free(&root);
	return 0;
}

static void measure_free(struct peak_measure *m)
{
	CPU_FREE(m->set);
	if (m->rate)
		munmap(m->rate, m->cpus * sizeof(*m->rate));
}

static int measure_prepare(struct peak_measure *m, const char *root, int64_t usec)
{
	m->ns = usec * 1000;
	m->set = CPU_ALLOC(PMU_CPUS_MAX);
	m->set_size = CPU_ALLOC_SIZE(PMU_CPUS_MAX);
	int e = peak_read_node(&m->node, root);
	if (e < 0)
		return e;
	if (sched_getaffinity(0, m->set_size, m->set) < 0)
		return -errno;
	m->cpus = (unsigned)CPU_COUNT_S(m->set_size, m->set);
	void *shared = mmap(NULL, m->cpus * sizeof(*m->rate), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -errno;
	m->rate = shared;
	double bytes = 4 * m->node.caches, most = (double)m->ns / 1e9 * MEMORY_RATE * m->cpus;
	bytes = bytes < m->node.available / 4 ? bytes : m->node.available / 4;
	bytes = bytes < most ? bytes : most;
	size_t pieces = (size_t)(bytes / m->cpus / 3 / (PEAK_PIECE * sizeof(double)));
	m->numbers = (pieces ? pieces : 1) * PEAK_PIECE;
	return 0;
}

/*
 * Close this process's ends of the pipe "ready", so that the parent sees when all processes are
 * ready. Then wait until the parent closes the write end of the pipe "go", to start all
 * measurements at once.
 */
static void wait_for_all(const int ready[2], const int go[2])
{
	char c;
	close(ready[0]);
	close(ready[1]);
	close(go[1]);
	if (read(go[0], &c, 1) != 0)
		_exit(1);
}

/* Bind this child process to a CPU. Measure memory bandwidth if `memory` is set, else FLOP/s. */
static void peak_work(const struct peak_measure *m, size_t at, unsigned cpu, bool memory,
		      const int ready[2],
		      const int go[2])
{
	size_t bytes = 3 * m->numbers * sizeof(double);
	double *a = NULL;

	CPU_ZERO_S(m->set_size, m->set);
	CPU_SET_S(cpu, m->set_size, m->set);
	if (sched_setaffinity(0, m->set_size, m->set) < 0)
		_exit(1);
	if (memory) {
		a = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (a == MAP_FAILED)
			_exit(1);
		/* the first write to an array allocates its memory on the NUMA node of this CPU */
		for (size_t i = 0; i < 3 * m->numbers; i++)
			a[i] = 1;
	}
	wait_for_all(ready, go);
	size_t n = m->numbers;
	m->rate[at] = memory ? peak_triad(a, a + n, a + 2 * n, n, m->ns) : peak_flops(m->ns);
	_exit(0);
}

static size_t start_all(const struct peak_measure *m, bool memory, const int ready[2],
			const int go[2])
{
	size_t n = 0;

	for (unsigned cpu = 0; cpu < PMU_CPUS_MAX && n < m->cpus; cpu++) {
		if (!CPU_ISSET_S(cpu, m->set_size, m->set))
			continue;
		pid_t pid = child_fork(SIGKILL);
		if (pid == 0)
			peak_work(m, n, cpu, memory, ready, go);
		if (pid < 0)
			break;
		n++;
	}
	return n;
}

/*
 * Measure on all CPUs at once. Returns the sum of the CPUs' rates, in bytes/s if `memory` is set,
 * else in FLOP/s, or 0 if a process failed.
 */
static double measure_all(const struct peak_measure *m, bool memory)
{
	int ready[2], go[2], status;
	double sum = 0;
	char c;

	if (pipe(ready) < 0 || pipe(go) < 0)
		return 0;
	size_t n = start_all(m, memory, ready, go);
	bool well = n == m->cpus;
	close(ready[1]);
	close(go[0]);
	while (read(ready[0], &c, 1) < 0 && errno == EINTR)
		;
	close(go[1]);
	close(ready[0]);
	for (size_t i = 0; i < n; i++)
		well &= wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	for (size_t i = 0; i < n; i++)
		sum += m->rate[i];
	return well ? sum : 0;
}

/*
 * Set peaks to 0 that do not describe the node: all if the process may not use all CPUs, and the
 * memory bandwidth if the arrays were smaller than twice the caches.
 */
static void peak_judge(const struct peak_measure *m, struct peaks_measured *p)
{
	double bytes = 3. * (double)m->numbers * sizeof(double) * m->cpus;

	if (m->cpus != m->node.cpus) {
		log_warning("result not stored: only %u of %u CPUs may be used here",
			    m->cpus, m->node.cpus);
		*p = (struct peaks_measured){ 0 };
	}
	if (p->bandwidth && bytes < 2 * m->node.caches) {
		log_warning("memory bandwidth not stored: %.3g GB were used, but the caches have "
			    "%.3g GB", bytes / 1e9, m->node.caches / 1e9);
		p->bandwidth = 0;
	}
}

static int peak_keep(const struct config *c, const struct peaks_measured *p)
{
	struct host host;
	struct files root;
	char path[1024];

	if (files_open_root(&root, c->root) < 0)
		return -ENOENT;
	host_identify(&host, &root, c->hostname);
	files_free(&root);
	int e = owner_become(c, false);
	if (e < 0)
		return e;
	snprintf(path, sizeof(path), "%s/%s", c->dir, host.name);
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -errno;
	return peaks_keep(c->dir, host.name, p);
}

struct peak_keeping {
	const struct config *config;
	const struct peaks_measured *measured;
};

/*
 * Store the peaks, and append the int that peak_keep() returned to `out`. This runs in a child
 * process, because the archive's file system may hang.
 */
static void peak_keep_apart(void *arg, struct buf *out)
{
	const struct peak_keeping *k = arg;
	int e = peak_keep(k->config, k->measured);
	buf_add(out, (struct str){ (const char *)&e, sizeof(e) });
}

static int peak_keep_in_time(const struct config *c, const struct peaks_measured *p)
{
	struct peak_keeping k = { c, p };
	struct buf out CLEANUP(buf_free) = { 0 };
	int e = bounded_run(KEEP_MS, peak_keep_apart, &k, &out);
	if (e == 0)
		memcpy(&e, out.p, sizeof(e));
	return e;
}

static int measure_and_keep(const struct config *c, int64_t usec)
{
	struct peak_measure m = { .cpus = 0 };
	struct peaks_measured p;
	int e = measure_prepare(&m, c->root, usec);

	if (e < 0) {
		log_error("%s", strerror(-e));
		measure_free(&m);
		return EXIT_FAILED;
	}
	double flops = measure_all(&m, false), bandwidth = measure_all(&m, true);
	printf("operations  %8.4g GF/s  %s, %u CPUs\nmemory      %8.4g GB/s\n", flops / 1e9,
	       peak_vectors(), m.cpus, bandwidth / 1e9);
	cli_flush();
	p = (struct peaks_measured){ (uint64_t)flops, (uint64_t)bandwidth };
	peak_judge(&m, &p);
	measure_free(&m);
	if (!p.flops && !p.bandwidth)
		return EXIT_FAILED;
	e = peak_keep_in_time(c, &p);
	if (e < 0)
		log_error("%s: %s", c->dir, strerror(-e));
	return e < 0 ? EXIT_FAILED : EXIT_DONE;
}

static int peak_run_command(const struct command *cmd, struct options *o, int argc, char **argv)
{
	int64_t usec = SECONDS_USUAL * 1000000;
	struct config c;
	const char *arg;
	int id;

	while ((id = options_next(o, &cmd->cli, argc, argv, &arg)) != CLI_END) {
		if (id < 0)
			return command_status(id);
		struct str text = str_of(arg);
		if (!str_take_time(&text, &usec) || text.n || usec < 1000 || usec > 600000000)
			return cli_misused(&cmd->cli, "--seconds must be from 0.001 to 600, not %s",
					   arg);
	}
	if (cli_refuse_operands(&cmd->cli, argc, argv) != CLI_END)
		return EXIT_USAGE;
	if (options_configure(o, &c) < 0)
		return EXIT_USAGE;
	int status = measure_and_keep(&c, usec);
	config_free(&c);
	return status;
}

const struct command peak_command = {
	.run = peak_run_command, .group = GROUP_NODE,
	.cli = {
		.command = "peak", .operands = "", .common = CLI_ALL,
		CLI_OPTIONS(options),
		.about = "measure the peak performance of this node",
	},
};
