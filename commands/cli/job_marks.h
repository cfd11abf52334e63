/* SPDX-License-Identifier: BSD-3-Clause */
/* job_marks.h - ask the agent for a mark, in bounded time */
#pragma once

#include "cli/command.h"
#include "cli/hook.h"

/*
 * Connect to the agent as root if this process is root, then become the owner of the archive
 * (recorder/owner.h); if that fails, warn and go on as root. If an agent runs, the archive's file
 * system is not touched. Returns a descriptor that the caller closes, or -errno; -ENOENT if
 * `elsewhere` is set, because no agent serves another archive.
 */
int hook_connect(const struct config *c, bool elsewhere, int timeout_ms) MUST_CHECK;

/* Ask the agent for the mark, or make the mark without an agent. Returns the exit status. */
int hook_run(struct options *o, const struct hook_request *q, enum control_verb verb,
	     const char *text);
