/* SPDX-License-Identifier: BSD-3-Clause */
/* job_waits.h - measure how long the threads of a run waited for a CPU */
#pragma once

#include <sys/types.h>
#include "collectors/source.h"

/*
 * CPU time, and time waiting for a CPU: the first two numbers of /proc/PID/task/TID/schedstat
 * (Documentation/scheduler/sched-stats.rst).
 */
struct job_wait {
	uint64_t cpu_ns, wait_ns;
};

/* A thread, with the last reading of its schedstat file. */
struct job_wait_task {
	pid_t pid, tid;
	int fd;
	struct job_wait last;
	uint64_t slices;	/* third number of the file: how often the thread got a CPU */
};

struct job_wait_tasks {
	struct job_wait_task *task;
	size_t n, cap;
};

#define JOB_WAITS_ENDED 64	/* ended processes whose last reading is kept */

/*
 * The threads of a run; the threads of one process are adjacent. A "look" reads all threads once.
 * Their files stay open, so that a look without new threads opens nothing. All zero is a valid new
 * state.
 */
struct job_waits {
	struct job_wait_tasks now;	/* threads that this look has read */
	/* threads of the last look; .fd is negative if the thread has moved to .now */
	struct job_wait_tasks before;
	size_t next;		/* index in .before at which to search first */
	size_t max;		/* largest number of open files; 0: not computed yet */
	bool counted;		/* the kernel counts waiting times (CONFIG_SCHED_INFO) */
	bool tried;		/* .counted was determined */
	/*
	 * Last readings of the first threads of processes that ended, for job_waits_end(): a ring.
	 * .n_ended: number of all processes that ended
	 */
	struct job_wait_task ended[JOB_WAITS_ENDED];
	size_t n_ended;
};

/*
 * Returns true if the kernel counts waiting times. If it does not, schedstat files are missing or
 * have only zeros.
 */
bool job_waits_are_counted(struct job_waits *w, struct source *s);
/*
 * Read the known threads of a process, and add the growth of their times since the last look to
 * *sum. Returns false if no thread ran since the last look; true if one ran, or if this is unknown.
 */
bool job_waits_read(struct job_waits *w, struct source *s, pid_t pid, struct job_wait *sum);
/*
 * Find and read the new threads of the process of the last job_waits_read(). If the process has
 * several threads, list them only at a rescan, or if their number `threads` differs from the number
 * of known threads. Returns true if all threads were known already: only then can job_waits_read()
 * tell whether the process ran.
 */
bool job_waits_find(struct job_waits *w, struct source *s, pid_t pid, uint64_t threads,
		    struct job_wait *sum);
/*
 * Add to *sum the CPU time and waiting time of a process's first thread since its last reading.
 * `final` is a reading after the thread's end.
 */
void job_waits_end(struct job_waits *w, pid_t pid, const struct job_wait *final,
		   struct job_wait *sum);
/* End a look: close the files of threads that it did not read. */
void job_waits_finish(struct job_waits *w);
void job_waits_free(struct job_waits *w);

/* Parse the text of a schedstat file. Returns false if the text is invalid or has only zeros. */
bool job_wait_take(struct str text, struct job_wait *ret, uint64_t *slices);
