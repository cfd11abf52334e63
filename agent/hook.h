/* SPDX-License-Identifier: BSD-3-Clause */
/* hook.h - what commands share that scripts of schedulers run: asking the agent, bounded in time */
#pragma once

#include "agent/command.h"
#include "agent/control.h"

#define HOOK_TIMEOUT_US 2000000

struct hook_request {
	bool strict;		/* of begin and end: fail where it failed */
	int64_t timeout_us;
	struct buf attributes;	/* of begin and end, see agent/attributes.h */
};

/* Seconds, from 0.01 to 3600. */
bool hook_take_timeout(const char *text, int64_t *us);

/* Asks the agent, or does without one; the status to exit with. */
int hook_run(struct options *o, const struct hook_request *q, enum control_verb verb,
	     const char *text);
