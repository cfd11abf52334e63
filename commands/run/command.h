/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h - run a command as if its user's shell had started it */
#pragma once

#include "collectors/job_tree.h"

struct command {
	char *const *argv;
	int sampler;		/* descriptor that has POLLERR when the sampler is gone, or -1 */
	/* called when the sampler is gone; returns the descriptor of the next sampler, or -1 */
	int (*lost)(void *arg);
	void *arg;
};

struct command_end {
	int status;		/* status of waitpid(2) */
	int error;		/* 0, or -errno if the command could not be started */
	size_t left;		/* number of processes that the command left running */
	struct job_tree_used used;
	struct job_tree_command command;
};

/*
 * Run the command. Signals are forwarded to it, unless its whole process group or more received
 * them. Processes that the command leaves become children of this process; if SIGKILL ended the
 * command, they are killed, too.
 */
void command_run(const struct command *c, struct command_end *ret);

/* Return the status of the command as of waitpid(2), also if it could not be started. */
int command_status(const struct command_end *e);
/* End this process like the command: with its exit status, or by its signal. */
_Noreturn void command_end_like(const struct command_end *e);
