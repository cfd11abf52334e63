/* SPDX-License-Identifier: BSD-3-Clause */
/* job_marks.h - ask the agent for a mark, in bounded time */
#pragma once

#include "cli/command.h"
#include "agent/control.h"

#define HOOK_TIMEOUT_US 2000000
#define HOOK_ATTRS_MAX  64

struct hook_request {
	bool strict;		/* whether begin and end exit with an error status on failure */
	bool summary;		/* whether end prints the job summary */
	int64_t timeout_us;
	const char *attr[HOOK_ATTRS_MAX];	/* attributes of begin and end, as given */
	size_t n_attrs;
};

/* Parse a timeout of 0.01 to 3600 seconds. */
bool hook_take_timeout(const char *text, int64_t *us);

/*
 * Connect to the agent, as root if this is root, and then become the owner of the archive: see
 * recorder/owner.h. No path of the archive is touched if there is an agent. Returns a descriptor or
 * -errno; -ENOENT if elsewhere, because then no agent is asked.
 */
int hook_connect(const struct config *c, bool elsewhere, int timeout_ms) MUST_CHECK;

/* Ask the agent, or do without it. Returns the exit status. */
int hook_run(struct options *o, const struct hook_request *q, enum control_verb verb,
	     const char *text);
