/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.c - the possible faults of a node in a fleet */
#include "report/fleet/rules.h"

const struct fleet_rule fleet_rules[FLEET_FAULTS] = {
	[FLEET_MISSING]    = { "missing",    true  },
	[FLEET_UNREADABLE] = { "unreadable", true  },
	[FLEET_SILENT]     = { "silent",     true  },
	[FLEET_CLOCK]      = { "clock",      false },
	[FLEET_VERSION]    = { "version",    false },
	[FLEET_LOST]       = { "lost",       false },
	[FLEET_ERRORS]     = { "errors",     false },
	[FLEET_TYPES]      = { "types",      false },
	[FLEET_EPILOG]     = { "epilog",     false },
	[FLEET_NO_ANSWER]  = { "no-answer",  true  },
	[FLEET_STATUS]     = { "status",     false },
	[FLEET_FAILING]    = { "failing",    true  },
};
