/* SPDX-License-Identifier: BSD-3-Clause */
/* alone.h - a mark without an agent that answers: left first, then made by one for all who wait */
#pragma once

#include <signal.h>
#include "agent/control.h"
#include "recorder/config.h"

struct alone {
	const struct config *config;
	enum control_verb verb;
	struct str text;
	bool elsewhere;		/* not in the configured archive: nothing is left there */
	int64_t asked_us;
	int64_t start_ns;	/* monotonic, of this command */
	int64_t timeout_us;	/* for all of the command */
	volatile sig_atomic_t *left;	/* 1 from when the mark is left */
};

/* The status to exit with; EXIT_WAITS: it is left in the runtime directory for others to make. */
int alone_mark(const struct alone *a);
