/* SPDX-License-Identifier: BSD-3-Clause */
/* job_marks.h - ask the agent for a mark, in bounded time */
#pragma once

#include "cli/command.h"
#include "cli/hook.h"

/*
 * Connect to the agent, with the rights of root if this process is root, and then become the owner
 * of the archive: see recorder/owner.h. If there is an agent, no path of the archive is touched.
 * Returns a descriptor or -errno; -ENOENT if `elsewhere` is set, because no agent serves another
 * archive.
 */
int hook_connect(const struct config *c, bool elsewhere, int timeout_ms) MUST_CHECK;

/* Ask the agent for the mark, or make the mark without an agent. Returns the exit status. */
int hook_run(struct options *o, const struct hook_request *q, enum control_verb verb,
	     const char *text);
