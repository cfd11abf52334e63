/* SPDX-License-Identifier: BSD-3-Clause */
/* job_waits.h - how long the tasks of a run waited for a CPU */
#pragma once

#include <sys/types.h>
#include "collectors/source.h"

/*
 * The first two numbers of /proc/PID/task/TID/schedstat: CPU time, and time on a run queue without
 * a CPU (Documentation/scheduler/sched-stats.rst).
 */
struct job_wait {
	uint64_t cpu_ns, wait_ns;
};

/* A thread, with the last reading of its file. */
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

/*
 * The tasks of a run; the tasks of a process are adjacent. A "look" reads all of them once. The
 * files stay open, so that a look in the steady state opens nothing. All zero is a valid new set.
 */
struct job_waits {
	struct job_wait_tasks now;	/* tasks that this look has read */
	/*
	 * Tasks of the last look. .fd is negative if the task has moved to .now, or if it had ended
	 * at the last look: the first thread of a process is kept for one more look, because
	 * job_waits_end() needs its last reading.
	 */
	struct job_wait_tasks before;
	size_t next;		/* index in .before at which to look for the next process first */
	size_t max;		/* maximum number of files; 0: not computed yet */
	bool counted;		/* the kernel counts waits (CONFIG_SCHED_INFO) */
	bool tried;		/* .counted was determined */
};

/* Returns whether the kernel counts waits. It does not if the file is missing or has only zeros. */
bool job_waits_are_counted(struct job_waits *w, struct source *s);
/*
 * Read the known tasks of a process, and add the counts since the last look to *sum. Returns
 * false if no task ran since the last look; true if one did, or if this is not known.
 */
bool job_waits_read(struct job_waits *w, struct source *s, pid_t pid, struct job_wait *sum);
/*
 * Find and read the new tasks of the process for which job_waits_read() was called last. Tasks are
 * listed if the number of known tasks differs from `threads`, and at a rescan. Returns true if all
 * tasks were known already: only then can job_waits_read() tell whether the process ran.
 */
bool job_waits_find(struct job_waits *w, struct source *s, pid_t pid, uint64_t threads,
		    struct job_wait *sum);
/*
 * Add to *sum the waits of a process's first thread from its last reading to `final`, a reading
 * after the thread's end.
 */
void job_waits_end(struct job_waits *w, pid_t pid, const struct job_wait *final,
		   struct job_wait *sum);
/* End a look: close the files of the tasks that the look did not read. */
void job_waits_finish(struct job_waits *w);
void job_waits_free(struct job_waits *w);

/* Parse a schedstat file. Returns false if the file has another form or has only zeros. */
bool job_wait_take(struct str text, struct job_wait *ret, uint64_t *slices);
