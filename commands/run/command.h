/* SPDX-License-Identifier: BSD-3-Clause */
/* command.h - a command of its user's, as if nobody had started it but its shell */
#pragma once

#include "collectors/job_tree.h"

struct command {
	char *const *argv;
	int sampler;		/* has POLLERR when the sampler is gone; -1: there is none */
	int (*lost)(void *arg);	/* called then: the next one's, or -1 */
	void *arg;
};

struct command_end {
	int status;		/* of waitpid(2) */
	int error;		/* 0, or the -errno for which it was not started */
	size_t left;		/* processes that it left running */
	struct job_tree_used used;
};

/*
 * Signals that this process gets go on to the command, unless its whole process group, or more, got
 * them. Processes that the command leaves become children of this one; if SIGKILL ended the
 * command, they are ended, too.
 */
void command_run(const struct command *c, struct command_end *ret);

/* Ends this process as the command did: with its status, or by its signal. */
_Noreturn void command_end_like(const struct command_end *e);
