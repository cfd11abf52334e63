/* SPDX-License-Identifier: BSD-3-Clause */
/* ldlm.c - type ldlm: locks of Lustre clients */
#include "schema/type.h"

/* The keys are names of Lustre's files (lustre/ldlm/ldlm_resource.c). */
static const struct metric metrics[] = {
	{ "lock_count",        GAUGE, "", "locks that are held or asked for"    },
	{ "lock_unused_count", GAUGE, "", "of them kept though nobody uses them" },
	{ "resource_count",    GAUGE, "", "objects that have locks"             },
};

const struct type ldlm_type = {
	.name    = "ldlm",
	.about   = "locks of Lustre mounts and servers",
	.source  = "/sys/fs/lustre/ldlm/namespaces/NAMESPACE/KEY or the same in /proc/fs/lustre",
	.device  = "the namespace of locks: one per server and mount",
	.off     = true,
	METRICS(metrics),
};
