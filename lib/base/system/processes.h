/* SPDX-License-Identifier: BSD-3-Clause */
/* processes.h - list the processes in /proc, and remember them from one look to the next */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"
#include "base/files.h"
#include "base/str.h"

#define PROCESSES_MAX 65536
/* bytes; usually 2 KB, but more with many CPUs or user groups */
#define PROCESS_STATUS_MAX 65536

struct process {
	uint64_t inode;		/* inode of /proc/PID; changes if the pid is reused */
	uint32_t pid;
	int fd;			/* descriptor of /proc/PID/status, or -1 */
	unsigned char tag;	/* for use by the caller; 0 in a new process */
	char name[11];		/* pid as text */
};

struct process_table {
	struct process *p;
	size_t n, cap;
};

struct processes {
	int dir;		/* descriptor of /proc, or -1 */
	struct process_table now, before;
	size_t fds, fds_max;	/* .fds: number of status files kept open; .fds_max: its limit */
	_Alignas(8) char entries[32768];
};

/*
 * Open /proc below the root. Returns 0 or -errno; call processes_free() in either case. After an
 * error processes_look() tries again.
 */
int processes_open(struct processes *ps, const struct files *root) MUST_CHECK;
void processes_free(struct processes *ps);

/* Fill .now with the processes in /proc, in the order of their pids. Returns 0 or -errno. */
int processes_look(struct processes *ps, const struct files *root) MUST_CHECK;

/* Get the effective user of a process: the owner of /proc/PID. Returns 0 or -errno. */
int process_owner(const struct processes *ps, const struct process *p, uid_t *ret) MUST_CHECK;

/*
 * Read /proc/PID/status into b; *ret is valid until b changes. The file stays open for the next
 * call, unless 1024 of these files, or half of RLIMIT_NOFILE, are open already. Returns 0, or
 * -errno if the process is gone.
 */
int process_status(struct processes *ps, const struct files *root, struct process *p,
		   struct buf *b, struct str *ret) MUST_CHECK;

/* Close the status file of a process that will not be read soon. */
void process_close(struct processes *ps, struct process *p);
