/* SPDX-License-Identifier: BSD-3-Clause */
/* ldlm_cbd - what Lustre's servers asked of this client about its locks */
#include "collectors/collector.h"

#include <errno.h>
#include "collectors/lustre.h"

#define STATS "/ldlm/services/ldlm_cbd/stats"
static const char *const files[] = { LUSTRE_PROC STATS, LUSTRE_DEBUG STATS };

struct service {
	size_t file;	/* the last look's, which is open */
	struct lustre_lines lines;
};

/* Lustre prints a key only when it has samples: what is not there happened 0 times. */
static bool add(struct source *s, struct service *service, struct str text)
{
	struct row row = rows_add(&s->rows, STR("-"));
	if (!lustre_add_stats(s, &service->lines, row, text)) {
		rows_drop(&s->rows);
		return false;
	}
	for (size_t i = 0; i < s->rows.n_metrics; i++)
		if (!row_is_set(row, i))
			row_set(row, i, 0);
	return true;
}

static int collect(struct source *s)
{
	struct service *service = source_state(s, sizeof(*service));
	struct str text;
	int why = -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		size_t at = (service->file + i) % ARRAY_SIZE(files);
		int r = source_read(s, files[at], &text);
		if (r == 0 && add(s, service, text)) {
			service->file = at;
			return 0;
		}
		if (r != -ENOENT)
			why = r;
	}
	return lustre_absent(s, files[0], files[1], why);
}

const struct collector ldlm_cbd_collector = {
	.type    = &ldlm_cbd_type,
	.collect = collect,
	.needs   = PRIVILEGE_SEARCH,
};
