/* SPDX-License-Identifier: BSD-3-Clause */
/* status_check.h - summarise the agent's status in one line for a monitoring system */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/plugin.h"
#include "cli/status_sinks.h"

/*
 * Limits for the age of the last sample; 0 selects the default. The default for a warning is two
 * intervals, but at least one interval and a minute; for a critical status four intervals, but at
 * least one interval and 5 minutes.
 */
struct status_limits {
	int64_t warning_us, critical_us;
};

/*
 * Append the line. e is 0 if `reply` is the agent's reply, or else the error of control_ask().
 * Returns the exit status, such as STATUS_OK.
 */
int status_check(struct buf *out, struct str reply, int e, const struct status_limits *limits,
		 const struct status_sinks *sinks);
