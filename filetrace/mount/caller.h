/* SPDX-License-Identifier: BSD-3-Clause */
/* caller.h - identify the process that makes a request, and act with its rights */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/buf.h"

struct caller {
	uint32_t uid, gid;
	/* thread id; 0 if the kernel names no thread, or the thread is in another PID namespace */
	pid_t thread;
};

/*
 * Return the process id of a thread, or 0 for thread 0. For a thread that has exited, return the
 * thread id itself.
 */
pid_t caller_process(pid_t thread);

/* Return the parent of a process, or 0 if the process is gone. */
pid_t caller_parent(pid_t process);

/* Get the path of the executable; otherwise the first word of the command line; otherwise "". */
void caller_executable(pid_t process, struct buf *path);

/* Return true if the environment of a process (proc_pid_environ(5)) has the id of this job. */
bool caller_in_job(pid_t process, struct str job);

/*
 * Return the name of a user or group, or "" if it has none. Names are looked up once and stay valid
 * until the program ends.
 */
struct str caller_user(uint32_t uid);
struct str caller_group(uint32_t gid);

/*
 * Until caller_leave(), do this thread's file operations with the user and the groups of the
 * caller. If this program does not run as root, it keeps its own user and groups. The umask becomes
 * umask_of, and stays so after caller_leave(). Returns 0 or -errno.
 */
int caller_enter(const struct caller *c, mode_t umask_of) MUST_CHECK;
void caller_leave(const struct caller *c);

/*
 * Change only the user of this thread, so that its writes clear the set-user-ID bit as write(2)
 * requires.
 */
void caller_enter_user(const struct caller *c);
void caller_leave_user(const struct caller *c);
