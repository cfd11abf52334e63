/* SPDX-License-Identifier: BSD-3-Clause */
/* noise.c - a job on every CPU with fixed quanta of work and a barrier: measure disturbances */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/bench/rounds.h"

#define STEPS     4000		/* steps of a quantum, which takes some microseconds */
#define BARRIER   1000000	/* ns between two barriers */
#define BUCKET_NS 16
#define BUCKETS   4096

static const char usage[] =
	"usage: noise [-t MS] [-b QUANTA]\n"
	"A process on each CPU that this one may use does quanta of work for MS (1000), and waits\n"
	"for all others after each QUANTA (as many as take a millisecond).  Prints a line: CPUs,\n"
	"quanta, how many were disturbed (1.2 times the median of that CPU or more), us of the\n"
	"longest, us that the disturbed ones took beyond the median, barriers, ns of all, QUANTA,\n"
	"ns of CPU time that each process took for the quanta between two barriers.\n"
	"The time that a process waits for others is in none of its quanta.\n";

/*
 * Results of the process on one CPU. .count has the number of quanta by duration; quanta longer
 * than the last bucket are added to .beyond and .beyond_ns.
 */
struct rank {
	uint32_t count[BUCKETS];
	uint64_t beyond, beyond_ns, longest, cpu_ns;
};

struct job {
	/* number of arrivals of all processes at all barriers so far */
	_Alignas(64) atomic_ulong arrived;
	_Alignas(64) atomic_ulong last;		/* barrier after which all processes end */
	uint64_t ns;
	size_t cpus, quanta;
	struct rank rank[];
};

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * Each step needs the result of the previous one. The empty asm statement prevents the compiler
 * from optimizing the steps away.
 */
static void quantum(void)
{
	uint64_t x = 1;
	for (int i = 0; i < STEPS; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
}

static size_t quanta_between_barriers(void)
{
	uint64_t least = BARRIER;
	for (int i = 0; i < 1000; i++) {
		uint64_t start = now();
		quantum();
		uint64_t took = now() - start;
		least = took < least ? took : least;
	}
	return BARRIER / least;
}

static void count(struct rank *r, uint64_t ns)
{
	if (ns / BUCKET_NS < BUCKETS) {
		r->count[ns / BUCKET_NS]++;
	} else {
		r->beyond++;
		r->beyond_ns += ns;
	}
	if (ns > r->longest)
		r->longest = ns;
}

/*
 * Wait until all processes have come to the nth barrier. Early processes spin, as in MPI libraries.
 */
static void barrier(struct job *j, uint64_t nth)
{
	atomic_fetch_add(&j->arrived, 1);
	while (atomic_load(&j->arrived) < nth * j->cpus)
		;
}

static void work(struct job *j, size_t rank, uint64_t ns)
{
	uint64_t nth = 1;

	barrier(j, nth);
	uint64_t start = now(), t = start;
	while (nth != atomic_load(&j->last)) {
		uint64_t cpu = cpu_ns();
		for (size_t i = 0; i < j->quanta; i++) {
			quantum();
			uint64_t end = now();
			count(&j->rank[rank], end - t);
			t = end;
		}
		j->rank[rank].cpu_ns += cpu_ns() - cpu;
		nth++;
		if (rank == 0 && t - start >= ns)
			atomic_store(&j->last, nth);
		barrier(j, nth);
		t = now();
	}
	if (rank == 0)
		j->ns = t - start;
}

/* Start a process on each CPU. If one cannot be started, the alarm ends the others. */
static int start(struct job *j, const cpu_set_t *cpus, uint64_t ns)
{
	for (int cpu = 0, rank = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		pid_t pid = fork();
		if (pid < 0)
			die("fork");
		if (pid == 0) {
			cpu_set_t own;
			CPU_ZERO(&own);
			CPU_SET(cpu, &own);
			alarm((unsigned)(ns / 1000000000) + 60);
			if (sched_setaffinity(0, sizeof(own), &own) < 0)
				die("sched_setaffinity");
			work(j, (size_t)rank, ns);
			_exit(0);
		}
		rank++;
	}
	int bad = 0, status;
	while (wait(&status) > 0)
		bad |= status;
	return bad;
}

static size_t median_bucket(const struct rank *r)
{
	uint64_t all = r->beyond, sum = 0;
	for (size_t i = 0; i < BUCKETS; i++)
		all += r->count[i];
	size_t i = 0;
	while (i < BUCKETS - 1 && (sum += r->count[i]) <= all / 2)
		i++;
	return i;
}

static void print(const struct job *j)
{
	uint64_t quanta = 0, disturbed = 0, stolen = 0, longest = 0, cpu = 0;
	unsigned long barriers = atomic_load(&j->last) - 1;

	for (size_t n = 0; n < j->cpus; n++) {
		const struct rank *r = &j->rank[n];
		size_t median = median_bucket(r);
		for (size_t i = 0; i < BUCKETS; i++) {
			quanta += r->count[i];
			if (i * 5 >= median * 6 && i > median) {
				disturbed += r->count[i];
				stolen += (uint64_t)r->count[i] * (i - median) * BUCKET_NS;
			}
		}
		quanta += r->beyond;
		disturbed += r->beyond;
		stolen += r->beyond_ns - r->beyond * median * BUCKET_NS;
		longest = r->longest > longest ? r->longest : longest;
		cpu += r->cpu_ns;
	}
	printf("%zu %llu %llu %.1f %.1f %lu %llu %zu %llu\n", j->cpus, (unsigned long long)quanta,
	       (unsigned long long)disturbed, (double)longest / 1e3, (double)stolen / 1e3,
	       barriers, (unsigned long long)j->ns, j->quanta,
	       (unsigned long long)(cpu / barriers / j->cpus));
}

int main(int argc, char *argv[])
{
	size_t ms = 1000, quanta = 0;
	cpu_set_t cpus;
	int c;

	while ((c = getopt(argc, argv, "t:b:")) >= 0) {
		switch (c) {
		case 't': ms = number(optarg, 3600000);       break;
		case 'b': quanta = number(optarg, 1000000);   break;
		default:  fputs(usage, stderr);               return 2;
		}
	}
	if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		die("sched_getaffinity");
	size_t n = (size_t)CPU_COUNT(&cpus);
	size_t size = sizeof(struct job) + n * sizeof(struct rank);
	struct job *j = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (j == MAP_FAILED)
		die("mmap");
	j->cpus = n;
	j->quanta = quanta ? quanta : quanta_between_barriers();
	if (start(j, &cpus, ms * 1000000) != 0)
		return 1;
	print(j);
	return 0;
}
