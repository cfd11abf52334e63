/* SPDX-License-Identifier: BSD-3-Clause */
/* softnet.c - type softnet: packets that each CPU took from network devices */
#include "schema/type.h"

/*
 * The first columns of /proc/net/softnet_stat, in the file's order (softnet_seq_show() in
 * net/core/net-procfs.c).
 */
static const struct metric metrics[] = {
	{ "processed", COUNTER, "", "packets processed", .bits = 32 },
	{ "dropped", COUNTER, "", "packets dropped because the backlog was full", .bits = 32 },
	{ "times_squeezed", COUNTER, "", "times packets were left when the time was over",
	  .bits = 32 },
};

const struct type softnet_type = {
	.name    = "softnet",
	.about   = "packets that each CPU took from network devices",
	.source  = "/proc/net/softnet_stat, the first columns",
	.device  = "logical CPU; before Linux 5.10 the number of the line",
	.off     = true,
	METRICS(metrics),
};
