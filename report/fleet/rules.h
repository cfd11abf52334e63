/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.h - the possible faults of a node in a fleet */
#pragma once

#include <stdbool.h>

enum fleet_fault {
	FLEET_MISSING, FLEET_UNREADABLE, FLEET_SILENT, FLEET_CLOCK, FLEET_VERSION, FLEET_LOST,
	FLEET_ERRORS, FLEET_TYPES, FLEET_EPILOG, FLEET_NO_ANSWER, FLEET_STATUS, FLEET_FAILING,
	FLEET_FAULTS
};

struct fleet_rule {
	const char *name;	/* name in JSON */
	/* true: the fault means that the node delivers nothing; false: it is a warning */
	bool critical;
};
extern const struct fleet_rule fleet_rules[FLEET_FAULTS];
