/* SPDX-License-Identifier: BSD-3-Clause */
/* processes.h - the processes in /proc, remembered from one look to the next */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"
#include "base/files.h"
#include "base/str.h"

#define PROCESSES_MAX 65536
#define PROCESS_STATUS_MAX 65536	/* bytes; 2 KB is usual, many CPUs or groups need more */

struct process {
	uint64_t inode;		/* of /proc/PID: another one when the pid was given again */
	uint32_t pid;
	int fd;			/* of its status, or -1 */
	unsigned char tag;	/* the user's own; 0 in a process that is new */
	char name[11];		/* the pid as text */
};

struct process_table {
	struct process *p;
	size_t n, cap;
};

struct processes {
	int dir;		/* /proc, or -1 */
	struct process_table now, before;
	size_t fds, fds_max;	/* status files kept open */
	_Alignas(8) char entries[32768];
};

/* Opens /proc below the root. 0 or -errno; processes_free() is in order after both. */
int processes_open(struct processes *ps, const struct files *root) MUST_CHECK;
void processes_free(struct processes *ps);

/* Fills .now with the processes there are, in the order of their pids. 0 or -errno. */
int processes_look(struct processes *ps, const struct files *root) MUST_CHECK;

/* The effective user, as the owner of /proc/PID shows it, or -errno. */
int process_owner(const struct processes *ps, const struct process *p, uid_t *ret) MUST_CHECK;

/*
 * Reads /proc/PID/status in one piece; the descriptors of the first 1024 of them (or half of
 * RLIMIT_NOFILE) are kept. *ret borrows from b. 0 or -errno: the process is gone.
 */
int process_status(struct processes *ps, const struct files *root, struct process *p,
		   struct buf *b, struct str *ret) MUST_CHECK;

/* Closes what process_status() keeps: it will not be read soon. */
void process_close(struct processes *ps, struct process *p);
