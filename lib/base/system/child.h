/* SPDX-License-Identifier: BSD-3-Clause */
/* child.h - end child processes with their parent, and wait for them in bounded time */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * A process that waits for a disk or a network file system (state D) does not end, even after
 * SIGKILL, until the disk or file system answers. So nodometer never waits for a child without a
 * limit, unless that is the purpose of the program.
 */

/*
 * Do fork(2), and let the kernel send `signal` to the child when the thread that forked it ends. If
 * the parent has ended already, the child exits at once.
 */
pid_t child_fork(int signal);
/*
 * Fork a child that has this process name (see PR_SET_NAME) from its first moment. `signal` is used
 * as in child_fork(); 0: the child does not end with its parent.
 */
pid_t child_fork_named(const char *name, int signal);

/* Wait up to ms milliseconds for a child to end, and reap it. Returns whether it has ended. */
bool child_has_ended(pid_t pid, int ms);
/*
 * Send SIGKILL, then wait as child_has_ended() does. Returns whether the child has ended; if not,
 * it hangs in the kernel, but runs no more code of its program.
 */
bool child_kill(pid_t pid, int ms);

/* Return 0 if execvp(3) finds the program and can start it, else -errno. */
int child_find(const char *name);
