/* SPDX-License-Identifier: BSD-3-Clause */
/* job_marks.h - what the commands of hooks share: asking the agent, bounded in time */
#pragma once

#include "cli/command.h"
#include "agent/control.h"

#define HOOK_TIMEOUT_US 2000000
#define HOOK_ATTRS_MAX  64

struct hook_request {
	bool strict;		/* of begin and end: fail where it failed */
	bool summary;		/* of end: print it */
	int64_t timeout_us;
	const char *attr[HOOK_ATTRS_MAX];	/* of begin and end, as they were given */
	size_t n_attrs;
};

/* Seconds, from 0.01 to 3600. */
bool hook_take_timeout(const char *text, int64_t *us);

/*
 * Connects to the agent, as root where it runs as root; then that becomes the archive's owner:
 * see recorder/owner.h. A descriptor or -errno; -ENOENT: elsewhere no agent is asked.
 */
int hook_connect(const struct config *c, bool elsewhere, int timeout_ms) MUST_CHECK;

/* Asks the agent, or does without one; the status to exit with. */
int hook_run(struct options *o, const struct hook_request *q, enum control_verb verb,
	     const char *text);
