/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h - run a command as if its user's shell had started it */
#pragma once

#include "collectors/job_tree.h"

struct command {
	char *const *argv;
	/* descriptor on which poll(2) reports POLLERR when the sampler has ended, or -1 */
	int sampler;
	/* called when the sampler has ended; returns the new value of .sampler, or -1 */
	int (*lost)(void *arg);
	void *arg;
};

struct command_end {
	int status;		/* status of the command in the form of waitpid(2) */
	int error;		/* 0, or -errno if the command could not be started */
	/* number of processes that still ran when the command ended */
	size_t left;
	struct job_tree_used used;
	struct job_tree_command command;
};

/*
 * Run the command and forward signals to it, but not signals to the whole process group, since the
 * command receives them anyway. Processes that the command leaves behind become children of this
 * process. If SIGKILL ended the command, these processes are killed, too. The forwarded signals
 * stay blocked in this process.
 */
void command_run(const struct command *c, struct command_end *ret);

/* Return the status of the command in the form of waitpid(2), even if it could not be started. */
int command_status(const struct command_end *e);
/* End this process as the command ended: with its exit status or by its signal. */
_Noreturn void command_end_like(const struct command_end *e);
