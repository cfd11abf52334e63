/* SPDX-License-Identifier: BSD-3-Clause */
/* caller.h - the process that asks for an operation: its names, and to act with its rights */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"

struct caller {
	uint32_t uid, gid;
	pid_t thread;		/* 0: the kernel names none, or it is in another PID namespace */
};

/* The process of a thread; 0 of none. A thread that has gone is taken for its own process. */
pid_t caller_process(pid_t thread);

/* The process that a process is a child of; 0: it has gone. */
pid_t caller_parent(pid_t process);

/* The path of a process' executable file, else the first word of its command line, else "". */
void caller_executable(pid_t process, struct buf *path);

/* The environment (proc_pid_environ(5)) has this job where schedulers put it. */
bool caller_in_job(pid_t process, struct str job);

/* Names are looked up once in a run; "" is none. Callers borrow them for good. */
struct str caller_user(uint32_t uid);
struct str caller_group(uint32_t gid);

/*
 * From here to caller_leave() this thread's file operations have the user, the groups and the
 * umask of the caller. Only root can do that; others act as themselves, for themselves.
 * 0 or -errno.
 */
int caller_enter(const struct caller *c, mode_t umask_of) MUST_CHECK;
void caller_leave(const struct caller *c);

/* The user alone: what he writes clears the set-user-ID bit, as write(2) has it. */
void caller_enter_user(const struct caller *c);
void caller_leave_user(const struct caller *c);
