/* SPDX-License-Identifier: BSD-3-Clause */
/* programs.c - programs of known behaviour; "expected" has the first finding of each */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double began, seconds;
static volatile double sink;
static const char *const on_disk = "/var/tmp/folders";	/* folders on a slow disk */
static const char *const in_memory = "/dev/shm";

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool until(double part)
{
	return now() - began < seconds * part;
}

static void rest(double s)
{
	struct timespec t = { (time_t)s, (long)((s - (double)(time_t)s) * 1e9) };
	nanosleep(&t, NULL);
}

static void busy(double s)
{
	for (double end = now() + s; now() < end; )
		for (int i = 0; i < 2000; i++)
			sink = sink * .5 + i;
}

static void check(bool well, const char *what)
{
	if (well)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	_exit(1);
}

/* Fork n processes that call work() with their number, and wait until all have ended. */
static void processes(int n, void (*work)(int))
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();
		check(pid >= 0, "fork");
		if (pid == 0) {
			work(i);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static int cpus(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static int open_file(const char *folder, int number, int flags)
{
	char path[100];
	snprintf(path, sizeof(path), "%s/file%d", folder, number);
	int fd = open(path, O_RDWR | O_CREAT | flags, 0600);
	check(fd >= 0, path);
	return fd;
}

static void bind_to(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(sched_setaffinity(0, sizeof(set), &set) == 0, "sched_setaffinity");
}

static char *pages(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(p != MAP_FAILED, "mmap");
	return p;
}

static void touch(char *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 4096)
		p[i]++;
}

/* Programs without a fault */

static void compute_one(int number)
{
	(void)number;
	while (until(1))
		busy(.1);
}

static void compute(void)
{
	processes(cpus(), compute_one);
}

static void triad_one(int number)
{
	enum { N = 1 << 20 };
	double *a = (double *)pages(3 * N * sizeof(double));
	while (until(1))
		for (int i = 0; i < N; i++)
			a[i] = a[N + i] + number * a[2 * N + i];
}

static void bandwidth(void)
{
	processes(cpus(), triad_one);
}

static pthread_barrier_t barrier;

static void *team_one(void *arg)
{
	while (until(1)) {
		busy(.3);
		pthread_barrier_wait(&barrier);
	}
	return arg;
}

/*
 * Run threads that compute in steps and wait briefly for each other. The main thread ends the
 * process, because some threads may wait at the barrier forever when the time is over.
 */
static void team(void)
{
	pthread_t thread[64];
	int n = cpus() < 64 ? cpus() : 64;

	pthread_barrier_init(&barrier, NULL, (unsigned)n);
	for (int i = 0; i < n; i++)
		check(pthread_create(&thread[i], NULL, team_one, NULL) == 0, "pthread_create");
	rest(seconds + .2);
	_exit(0);
}

static void checkpoint_one(int number)
{
	static char block[1 << 20];
	int fd = open_file(in_memory, number, O_TRUNC);
	while (until(1)) {
		busy(1);
		check(pwrite(fd, block, sizeof(block), 0) > 0, "write");
	}
}

static void checkpoints(void)
{
	processes(cpus(), checkpoint_one);
}

static void short_one(int number)
{
	(void)number;
	busy(.5);
}

static void pool_one(int number)
{
	(void)number;
	while (until(1))
		processes(1, short_one);
}

static void pool(void)
{
	processes(cpus(), pool_one);
}

static void large_one(int number)
{
	touch(pages(32 << 20), 32 << 20);
	compute_one(number);
}

static void large(void)
{
	processes(cpus(), large_one);
}

/* Programs with a fault */

static void serial(void)
{
	compute_one(0);
}

static void asleep_one(int number)
{
	(void)number;
	while (until(1)) {
		busy(.02);	/* a job without CPU time is reported as a job that did nothing */
		rest(.5);
	}
}

static void asleep(void)
{
	processes(cpus(), asleep_one);
}

static void half_one(int number)
{
	if (number == 0)
		compute_one(0);
	while (until(1)) {
		busy(.02);
		rest(.08);
	}
}

static void half(void)
{
	processes(cpus(), half_one);
}

static void small_writes_one(int number)
{
	int fd = open_file(in_memory, number, O_TRUNC);
	while (until(1))
		for (int i = 0; i < 1000; i++)
			check(pwrite(fd, "x", 1, i) == 1, "write");
}

static void small_writes(void)
{
	processes(cpus(), small_writes_one);
}

static void syncs_one(int number)
{
	int fd = open_file(on_disk, number, O_TRUNC);
	while (until(1))
		check(write(fd, "x", 1) == 1 && fdatasync(fd) == 0, "fdatasync");
}

static void syncs(void)
{
	processes(cpus(), syncs_one);
}

static void reads_one(int number)
{
	enum { SIZE = 4 << 20 };
	char *block = pages(4096);
	int fd = open_file(on_disk, number, O_DIRECT);
	check(ftruncate(fd, SIZE) == 0 && posix_fallocate(fd, 0, SIZE) == 0, "fallocate");
	for (off_t at = 0; at < SIZE && until(.2); at += 65536)
		check(pwrite(fd, block, 4096, at) == 4096, "write");
	while (until(1))
		check(pread(fd, block, 4096, rand() % (SIZE / 65536) * 65536) >= 0, "read");
}

static void reads(void)
{
	processes(cpus(), reads_one);
}

static void nothing(int number)
{
	(void)number;
}

static void nothing_at_all(void)
{
}

static void forks_one(int number)
{
	(void)number;
	while (until(1))
		processes(1, nothing);
}

static void forks(void)
{
	processes(cpus(), forks_one);
}

/* Execute this program again with an argument that makes it do nothing. */
static void run_nothing(int number)
{
	(void)number;
	execl("/proc/self/exe", "programs", "nothing", "0", (char *)NULL);
	_exit(1);
}

static void execs_one(int number)
{
	(void)number;
	while (until(1))
		processes(1, run_nothing);
}

static void execs(void)
{
	processes(cpus(), execs_one);
}

static void metadata_one(int number)
{
	char a[100], b[100];
	snprintf(a, sizeof(a), "%s/a%d", in_memory, number);
	snprintf(b, sizeof(b), "%s/b%d", in_memory, number);
	while (until(1)) {
		int fd = open(a, O_RDWR | O_CREAT, 0600);
		check(fd >= 0 && close(fd) == 0 && rename(a, b) == 0 && unlink(b) == 0, "files");
	}
}

static void metadata(void)
{
	processes(cpus(), metadata_one);
}

static void faults_one(int number)
{
	(void)number;
	while (until(1)) {
		char *p = pages(8 << 20);
		touch(p, 8 << 20);
		munmap(p, 8 << 20);
	}
}

static void faults(void)
{
	processes(cpus(), faults_one);
}

static int there[64][2], back[64][2];

static void pingpong_one(int number)
{
	bool first = number % 2 == 0;
	int *in = first ? back[number / 2] : there[number / 2];
	int *out = first ? there[number / 2] : back[number / 2];
	char c = 0;
	while (until(1) && (!first || write(out[1], &c, 1) == 1) && read(in[0], &c, 1) == 1 &&
	       (first || write(out[1], &c, 1) == 1))
		;
	kill(0, SIGTERM);
}

static void pingpong(void)
{
	int n = cpus() < 64 ? cpus() : 64;
	signal(SIGTERM, SIG_DFL);
	setpgid(0, 0);
	for (int i = 0; i < n; i++)
		check(pipe(there[i]) == 0 && pipe(back[i]) == 0, "pipe");
	processes(2 * n, pingpong_one);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *locks_one(void *arg)
{
	while (until(1)) {
		pthread_mutex_lock(&lock);
		busy(.005);
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	return arg;
}

static void locks(void)
{
	pthread_t thread[4];
	for (int i = 0; i < 4; i++)
		check(pthread_create(&thread[i], NULL, locks_one, NULL) == 0, "pthread_create");
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

/* In the first half of the time one thread works; in the second half every CPU works. */
static void phases(void)
{
	while (until(.5))
		busy(.01);
	processes(cpus(), compute_one);
}

/* A step ends when the slowest thread has done its part. */
static void *straggler_one(void *arg)
{
	bool slow = arg;
	do {
		busy(slow ? .02 : .005);
		pthread_barrier_wait(&barrier);
	} while (until(1));
	return NULL;
}

static void straggler(void)
{
	int n = cpus() < 64 ? cpus() : 64;
	pthread_t thread[64];
	check(pthread_barrier_init(&barrier, NULL, (unsigned)n) == 0, "pthread_barrier_init");
	for (int i = 0; i < n; i++)
		check(pthread_create(&thread[i], NULL, straggler_one, i ? NULL : &thread[0]) == 0,
		      "pthread_create");
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

/* Threads hold a lock only for one addition, so that they wait for the lock most of the time. */
static void *contend_one(void *arg)
{
	while (until(1))
		for (int i = 0; i < 1000; i++) {
			pthread_mutex_lock(&lock);
			sink = sink + 1;
			pthread_mutex_unlock(&lock);
		}
	return arg;
}

/*
 * Make a lock that inherits priority. Each unlock hands it to the next waiter, and so is a context
 * switch.
 */
static void contend(void)
{
	pthread_t thread[4];
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lock, &a);
	for (int i = 0; i < 4; i++)
		check(pthread_create(&thread[i], NULL, contend_one, NULL) == 0, "pthread_create");
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void sync_writes_one(int number)
{
	static char block[4096];
	int fd = open_file(on_disk, number, O_TRUNC | O_SYNC);
	for (off_t at = 0; until(1); at += 4096)
		check(pwrite(fd, block, sizeof(block), at % (4 << 20)) == sizeof(block), "write");
}

static void sync_writes(void)
{
	processes(cpus(), sync_writes_one);
}

static void disk_files_one(int number)
{
	char path[100];
	for (unsigned long i = 0; until(1); i++) {
		snprintf(path, sizeof(path), "%s/f%d.%lu", on_disk, number, i % 100);
		int fd = open(path, O_RDWR | O_CREAT, 0600);
		check(fd >= 0 && close(fd) == 0 && unlink(path) == 0, path);
	}
}

static void disk_files(void)
{
	processes(cpus(), disk_files_one);
}

static void huge_one(int number)
{
	size_t bytes = 32 << 20;
	(void)number;
	while (until(1)) {
		char *p = pages(bytes);
		madvise(p, bytes, MADV_HUGEPAGE);
		touch(p, bytes);
		munmap(p, bytes);
	}
}

static void huge(void)
{
	processes(cpus(), huge_one);
}

/* Read random bytes of a mapped file of 48 MB, which exceeds the test's memory limit. */
static void thrash(void)
{
	size_t bytes = 48 << 20;
	int fd = open_file(on_disk, 0, O_TRUNC);
	check(ftruncate(fd, (off_t)bytes) == 0, "ftruncate");
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(p != MAP_FAILED, "mmap");
	madvise(p, bytes, MADV_RANDOM);
	for (unsigned n = 1; until(1); n = n * 1103515245 + 12345)
		sink = sink + p[(n >> 4) % bytes];
}

static void crowded(void)
{
	bind_to(0);
	processes(3 * cpus(), compute_one);
}

static void quota(void)
{
	processes(cpus(), compute_one);
}

/* Fill the test's memory limit of 192 MB to 92 % at an even rate, and then stop growing. */
static void leak(void)
{
	const size_t limit = 192 << 20, step = limit / 200;
	for (double part = 0; until(1); part += .005)
		if (part < .92) {
			touch(pages(step), step);
			while (until(part))
				busy(.01);
		} else {
			busy(.01);
		}
}

static void killed(void)
{
	while (until(1)) {
		touch(pages(16 << 20), 16 << 20);
		busy(.2);
	}
}

/* Touch 24 MB over and over; the test limits the memory to half of that. */
static void swapped_one(int number)
{
	char *p = pages(24 << 20);
	(void)number;
	while (until(1))
		touch(p, 24 << 20);
}

static void swapped(void)
{
	processes(cpus(), swapped_one);
}

static void faded_one(int number)
{
	while (until(.5) || (number == 0 && until(1))) {
		busy(.02);
		rest(until(.5) ? 0 : .08);
	}
}

static void faded(void)
{
	processes(cpus(), faded_one);
}

static void stopped_one(int number)
{
	(void)number;
	while (until(.5))
		busy(.1);
	rest(began + seconds - now());
}

static void stopped(void)
{
	processes(cpus(), stopped_one);
}

/*
 * The following programs do the same amount of work in each run, however long it takes: the first
 * run measures how much it computes in half of its time, and stores that number for later runs.
 * Each process also writes a file in PIECES pieces.
 */
enum { PIECES = 64 };
static const char *folder;
static double loops;	/* number of loops to compute before each piece is written */

static double measured_loops(void)
{
	double n = 0;
	while (until(.1)) {
		n++;
		for (int i = 0; i < 2000; i++)
			sink = sink * .5 + i;
	}
	return n * 5 / PIECES;
}

static double known_loops(void)
{
	static const char *const path = "/run/loops";
	char text[40];
	FILE *f = fopen(path, "r");

	if (!f) {
		double n = measured_loops();
		f = fopen(path, "w");
		check(f && fprintf(f, "%f\n", n) > 0 && fclose(f) == 0, path);
		return n;
	}
	check(fgets(text, sizeof(text), f) && fclose(f) == 0, path);
	return strtod(text, NULL);
}

static void work_one(int number)
{
	static char piece[1 << 20];
	int fd = open_file(folder, number, O_TRUNC);

	for (int i = 0; i < PIECES; i++) {
		for (double n = 0; n < loops; n++)
			for (int k = 0; k < 2000; k++)
				sink = sink * .5 + k;
		check(write(fd, piece, sizeof(piece)) == sizeof(piece) && fdatasync(fd) == 0,
		      "write");
	}
}

static void work_in(const char *where)
{
	folder = where;
	loops = known_loops();
	processes(cpus(), work_one);
}

static void work(void)
{
	work_in(in_memory);
}

static void work_bound(void)
{
	bind_to(0);
	work_in(in_memory);
}

static void work_disk(void)
{
	work_in(on_disk);
}

static const struct program {
	const char *name;
	void (*run)(void);
} programs[] = {
	{ "compute",      compute      }, { "bandwidth",    bandwidth    },
	{ "team",         team         }, { "checkpoints",  checkpoints  },
	{ "pool",         pool         }, { "large",        large        },
	{ "serial",       serial       }, { "asleep",       asleep       },
	{ "half",         half         }, { "small-writes", small_writes },
	{ "syncs",        syncs        }, { "reads",        reads        },
	{ "forks",        forks        }, { "execs",        execs        },
	{ "metadata",     metadata     }, { "faults",       faults       },
	{ "pingpong",     pingpong     }, { "locks",        locks        },
	{ "phases",       phases       }, { "straggler",    straggler    },
	{ "contend",      contend      }, { "sync-writes",  sync_writes  },
	{ "disk-files",   disk_files   }, { "huge",         huge         },
	{ "thrash",       thrash       },
	{ "crowded",      crowded      }, { "quota",        quota        },
	{ "leak",         leak         }, { "killed",       killed       },
	{ "swapped",      swapped      }, { "faded",        faded        },
	{ "stopped",      stopped      }, { "nothing",      nothing_at_all },
	{ "work",         work         }, { "work-bound",   work_bound   },
	{ "work-disk",    work_disk    },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof(programs) / sizeof(*programs); i++)
		if (strcmp(programs[i].name, argv[1]) == 0) {
			began = now();
			seconds = strtod(argv[2], NULL);
			programs[i].run();
			return 0;
		}
	fprintf(stderr, "usage: programs NAME SECONDS\n");
	return 2;
}
