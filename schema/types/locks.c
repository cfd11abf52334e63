/* SPDX-License-Identifier: BSD-3-Clause */
/* locks.c - type locks: file locks */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "held",    GAUGE, "", "locks that are held"         },
	{ "waiting", GAUGE, "", "requests that wait for one"  },
	{ "files",   GAUGE, "", "files on which there are any" },
};

const struct type locks_type = {
	.name    = "locks",
	.about   = "file locks",
	.source  = "/proc/locks",
	.device  = "the whole node",
	.off     = true,
	METRICS(metrics),
};
