/* SPDX-License-Identifier: BSD-3-Clause */
/* alone.h - mark a job without an agent: leave the request, then one command makes all marks */
#pragma once

#include <signal.h>
#include "agent/control.h"
#include "recorder/config.h"

struct alone {
	const struct config *config;
	enum control_verb verb;
	struct str text;
	bool elsewhere;		/* another archive than the configured one: no request is left */
	int64_t asked_us;
	int64_t start_ns;	/* start of this command, monotonic */
	int64_t timeout_us;	/* timeout of the whole command */
	volatile sig_atomic_t *left;	/* becomes 1 when the request is left */
};

/*
 * Make the mark. Returns the exit status; EXIT_WAITS if the request stays in the runtime directory
 * for others.
 */
int alone_mark(const struct alone *a);
