/* SPDX-License-Identifier: BSD-3-Clause */
/* status_check.h - summarise the agent's status in one line for a monitoring system */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/plugin.h"
#include "cli/status_sinks.h"

/*
 * Limits for the age of the last sample; 0 selects the default. For a warning, the default is two
 * intervals or, if longer, one interval plus one minute. For a critical state, it is four intervals
 * or, if longer, one interval plus five minutes.
 */
struct status_limits {
	int64_t warning_us, critical_us;
};

/*
 * Append the line. reply is the agent's reply; if it is empty, e is the error of control_ask().
 * Returns the exit status.
 */
int status_check(struct buf *out, struct str reply, int e, const struct status_limits *limits,
		 const struct status_sinks *sinks);
