/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_memfd.h - simulate perf events of any number of CPUs; reading an event group costs one real
 * pread(2)
 */
#pragma once

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "collectors/pmu/perf.h"
#include "collectors/pmu/pmu.h"
#include "collectors/source.h"

#define FDS_MAX 65536
#define FAR_READS 200

static struct {
	uint64_t members, reads;
} group[FDS_MAX];		/* indexed by the descriptor of the group's leader */
/* number returned for a group's next member; only leaders have a real descriptor, below FDS_MAX */
static int next_member = FDS_MAX;

int perf_open(struct perf_event_attr *attr, int cpu, int group_fd)
{
	uint64_t value[3 + PMU_GROUP] = { 0 };
	(void)attr;
	if (group_fd >= 0) {
		group[group_fd].members++;
		return next_member++;
	}
	int fd = memfd_create("counters", MFD_CLOEXEC);
	if (fd < 0 || fd >= FDS_MAX)
		return -EMFILE;
	for (size_t i = 0; i < PMU_GROUP; i++)	/* large initial values, as after about a day */
		value[3 + i] = 81234567891 * (i + 1) + (uint64_t)cpu * 1000003;
	if (write(fd, value, sizeof(value)) < 0)
		return -EIO;
	group[fd].members = 1;
	return fd;
}

int perf_enable(int fd)
{
	(void)fd;
	return 0;
}

int perf_read(int fd, uint64_t *value, size_t n)
{
	ssize_t got = pread(fd, value, n * sizeof(*value), 0);
	if (got < 0)
		return -errno;
	value[0] = group[fd].members;
	value[1] = value[2] = ++group[fd].reads * 1000000000;
	return (int)((size_t)got / sizeof(*value));
}

void perf_close(int fd)
{
	if (fd < FDS_MAX)
		close(fd);
}

/* Return the CPU time in ns of one read of a counter that counts on that CPU; 0: not permitted. */
static inline uint64_t read_ns(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
	};
	struct timespec a, b;
	uint64_t v;
	int fd CLEANUP(close_fd) = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
	if (fd < 0)
		return 0;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (int i = 0; i < FAR_READS; i++)
		if (read(fd, &v, sizeof(v)) != sizeof(v))
			return 0;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	int64_t ns = (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
	return (uint64_t)ns / FAR_READS;
}

/*
 * Measure the cost that pread(2) of a file lacks: CPU time in ns to read a real software counter of
 * this CPU (*near_ns), and of another CPU, which the kernel must interrupt (*far_ns). 0: not
 * permitted, or there is only one CPU.
 */
static inline void perf_measure(uint64_t *near_ns, uint64_t *far_ns)
{
	cpu_set_t all, one;
	int here = sched_getcpu(), far = -1;
	*near_ns = *far_ns = 0;
	if (here < 0 || sched_getaffinity(0, sizeof(all), &all) < 0)
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE && far < 0; cpu++)
		if (cpu != here && CPU_ISSET(cpu, &all))
			far = cpu;
	CPU_ZERO(&one);
	CPU_SET(here, &one);
	if (far < 0 || sched_setaffinity(0, sizeof(one), &one) < 0)
		return;
	*near_ns = read_ns(here);
	*far_ns = read_ns(far);
	if (sched_setaffinity(0, sizeof(all), &all) < 0)
		*far_ns = 0;
}
