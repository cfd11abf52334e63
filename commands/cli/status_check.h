/* SPDX-License-Identifier: BSD-3-Clause */
/* status_check.h - status --check: summarise the agent's status in one line, as a Nagios plugin */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/plugin.h"
#include "cli/status_sinks.h"

/*
 * Limits for the age of the last sample, in microseconds; 0 selects the default. The default for a
 * warning is two sampling intervals, or one interval plus a minute if this is longer; the default
 * for a critical status is four intervals, or one interval plus 5 minutes if this is longer.
 */
struct status_limits {
	int64_t warning_us, critical_us;
};

/*
 * Append the line to out. e is 0 if `reply` is the agent's reply, or else the error of
 * control_ask(). Returns the exit status, such as STATUS_OK.
 */
int status_check(struct buf *out, struct str reply, int e, const struct status_limits *limits,
		 const struct status_sinks *sinks);
