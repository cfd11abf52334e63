/* SPDX-License-Identifier: BSD-3-Clause */
/* child.h - end child processes with their parent, and wait for them in bounded time */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * A process that waits for a disk or a network file system (state D) ends only when the disk or
 * file system answers, even after SIGKILL. So no program of nodometer waits for a child without a
 * limit, unless waiting for that child is the program's purpose.
 */

/*
 * Do fork(2), and have the kernel send the child a signal when the parent ends. A child whose
 * parent has ended before the child could ask for the signal exits at once.
 */
pid_t child_fork(int signal);

/* Wait up to ms milliseconds for a child to end, and reap it. Returns whether it has ended. */
bool child_has_ended(pid_t pid, int ms);
/*
 * Send SIGKILL, then do what child_has_ended() does. If the result is false, the kernel has not
 * ended the child yet, but the child runs no more code of its program.
 */
bool child_kill(pid_t pid, int ms);

/* Return 0 if execvp(3) can find and start the program, or -errno. */
int child_find(const char *name);
