/* SPDX-License-Identifier: BSD-3-Clause */
/* records.c - encode complete records as JSON objects, which "report --from" reads back */
#include "formats/line/json_place.h"

#include "base/json.h"

/* Write the rows and marks as the text of a raw file, so that no number is rounded. */
static void records_put_record(struct buf *to, const struct line_node *node,
			       const struct record *unfolded)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct line_whole *w = node->whole;
	const struct record *r = w ? w->record : NULL;
	(void)unfolded;
	if (!r)
		return;
	bool due = raw_copy_head_due(&w->copy, w->from, r);
	json_open(to, NULL, '{');
	json_put_place(to, node, r);	/* queries in a database select records by these members */
	json_u64(to, "line", r->line);	/* distinguishes records of the same time */
	json_u64(to, "restart", r->restart);
	json_strf(to, "header", "%016llx",
		  (unsigned long long)str_hash(buf_str(&w->copy.head)));
	if (due)
		json_str(to, "head", buf_str(&w->copy.head));
	raw_copy_put_marks(r, &text);
	json_str(to, "marks", buf_str(&text));
	text.n = 0;
	raw_copy_put_rows(&w->copy, r, &text);
	json_str(to, "rows", buf_str(&text));
	buf_add(to, STR("}\n"));
}

const struct line_encoder records_encoder = {
	.name         = "records",
	.about        = "a JSON object for each record, whole, for nodometer report --from",
	.content_type = "application/x-ndjson",
	.whole        = true,
	.put          = records_put_record,
};
