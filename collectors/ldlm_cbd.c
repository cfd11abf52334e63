/* SPDX-License-Identifier: BSD-3-Clause */
/* ldlm_cbd - requests of Lustre's servers to this client about its locks */
#include "collectors/collector.h"

#include <errno.h>
#include "collectors/lustre.h"

static const char *const files[LUSTRE_PLACES] = LUSTRE_IN_PLACES("ldlm/services/ldlm_cbd/stats");

struct service {
	size_t file;
	struct lustre_lines lines;
};

/*
 * Add the row from a statistics file. Lustre leaves out keys without samples, so missing keys are
 * 0.
 */
static int ldlm_cbd_add(struct source *s, size_t file)
{
	struct service *service = s->state;
	struct str text;
	int r = source_read(s, files[file], &text);
	if (r < 0)
		return r;
	struct row row = rows_add(&s->rows, STR("-"));
	if (!lustre_add_stats(s, &service->lines, row, text)) {
		rows_drop(&s->rows);
		return -ENOENT;
	}
	for (size_t i = 0; i < s->rows.n_metrics; i++)
		if (!row_is_set(row, i))
			row_set(row, i, 0);
	return 0;
}

static int ldlm_cbd_collect(struct source *s)
{
	struct service *service = source_state(s, sizeof(*service));
	int r = lustre_look(s, &service->file, ldlm_cbd_add);
	return r == 0 ? 0 : lustre_absent(s, files[0], files[1], r);
}

const struct collector ldlm_cbd_collector = {
	.type    = &ldlm_cbd_type,
	.collect = ldlm_cbd_collect,
	.needs   = PRIVILEGE_SEARCH,
};
