/* SPDX-License-Identifier: BSD-3-Clause */
/* ldlm - locks of each namespace of Lustre's lock manager, from /sys/fs/lustre/ldlm/namespaces */
#include "collectors/collector.h"

#include <errno.h>
#include "collectors/value_files.h"
#include "schema/types/lustre.h"

static const struct value_files places[] = {
	{ .dir = "sys/fs/lustre/ldlm/namespaces", .prefix = "", .any_name = true },
	/* up to 2.8 */
	{ .dir = LUSTRE_PROC "/ldlm/namespaces", .prefix = "", .any_name = true },
};

static int collect(struct source *s)
{
	size_t *place = source_state(s, sizeof(*place));	/* the last look's, which is open */
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		int r = value_files_add(s, &places[*place]);
		if (r != -ENOENT)
			return r;
		*place = (*place + 1) % ARRAY_SIZE(places);
	}
	return source_absent(s, "no /%s or /%s", places[0].dir, places[1].dir);
}

const struct collector ldlm_collector = {
	.type    = &ldlm_type,
	.collect = collect,
};
