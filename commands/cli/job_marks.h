/* SPDX-License-Identifier: BSD-3-Clause */
/* job_marks.h - ask the agent for a mark, in bounded time */
#pragma once

#include "cli/command.h"
#include "cli/hook.h"

/*
 * Connect to the agent, as root if this is root, and then become the owner of the archive: see
 * recorder/owner.h. No path of the archive is touched if there is an agent. Returns a descriptor or
 * -errno; -ENOENT if elsewhere, because then no agent is asked.
 */
int hook_connect(const struct config *c, bool elsewhere, int timeout_ms) MUST_CHECK;

/* Ask the agent, or do without it. Returns the exit status. */
int hook_run(struct options *o, const struct hook_request *q, enum control_verb verb,
	     const char *text);
