/* SPDX-License-Identifier: BSD-3-Clause */
/* status_check.h - the agent's status as one line for a monitoring system */
#pragma once

#include <stdint.h>
#include "base/buf.h"
#include "base/plugin.h"
#include "cli/status_sinks.h"

/* Ages of the last sample; 0: two and four intervals, at least a minute and five more than one. */
struct status_limits {
	int64_t warning_us, critical_us;
};

/* reply is the agent's, or empty and e is why there is none, see control_ask(). The status. */
int status_check(struct buf *out, struct str reply, int e, const struct status_limits *limits,
		 const struct status_sinks *sinks);
