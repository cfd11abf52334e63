/* SPDX-License-Identifier: BSD-3-Clause */
/* ldlm - locks of each namespace of Lustre's lock manager, from /sys/fs/lustre/ldlm/namespaces */
#include "collectors/collector.h"

#include <errno.h>
#include "collectors/lustre.h"
#include "collectors/value_files.h"

static const struct value_files places[LUSTRE_PLACES] = {
	{ .dir = "sys/fs/lustre/ldlm/namespaces", .prefix = "", .any_name = true },
	/* procfs, up to Lustre 2.8 */
	{ .dir = LUSTRE_PROC "/ldlm/namespaces", .prefix = "", .any_name = true },
};

static int ldlm_add(struct source *s, size_t place)
{
	return value_files_add(s, &places[place]);
}

static int ldlm_collect(struct source *s)
{
	int r = lustre_look(s, source_state(s, sizeof(size_t)), ldlm_add);
	return r != -ENOENT ? r : source_absent(s, "no /%s or /%s", places[0].dir, places[1].dir);
}

const struct collector ldlm_collector = {
	.type    = &ldlm_type,
	.collect = ldlm_collect,
};
