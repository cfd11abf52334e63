/* SPDX-License-Identifier: BSD-3-Clause */
/* job_marks.h - write the mark of a job in bounded time, through the agent if one runs */
#pragma once

#include "cli/command.h"
#include "cli/hook.h"

/*
 * Connect to the agent. Then, if this process is root, become the owner of the archive
 * (recorder/owner.h), or warn and stay root if this fails. If an agent runs, this does not access
 * the archive's file system, which may hang. Returns a descriptor that the caller closes, or
 * -errno; -ENOENT if `elsewhere` is set, because the agent does not serve other archives.
 */
int hook_connect(const struct config *c, bool elsewhere, int timeout_ms) MUST_CHECK;

/* Ask the agent to write the mark, or write it without an agent. Returns the exit status. */
int hook_run(struct options *o, const struct hook_request *q, enum control_verb verb,
	     const char *text);
