/* SPDX-License-Identifier: BSD-3-Clause */
/* records.c - a JSON object for each record as it was read: what "report --from" reads again */
#include "formats/line/line.h"

#include "base/json.h"
#include "formats/raw_write.h"

/* So that an engine finds the records of a job, of a host and of a time. */
static void put_place(struct buf *b, const struct line_node *node, const struct record *r)
{
	json_raw(b, "time", STR(""));
	raw_put_time(b, r->usec);
	json_str(b, "host", node->host);
	for (size_t i = 0; i < node->n_labels; i++) {
		char name[64];
		if (str_copy(name, sizeof(name), node->label[i].name))
			json_str(b, name, node->label[i].value);
	}
	json_open(b, "jobs", '[');
	for (size_t i = 0; i < r->n_jobs; i++)
		json_str(b, NULL, r->job[i]);
	json_close(b, ']');
	json_u64(b, "line", r->line);	/* tells it from others of its time */
}

/* The parts of the record are text of a raw file, so that none of its numbers is rounded. */
static void put(struct buf *to, const struct line_node *node, const struct record *unfolded)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct line_whole *w = node->whole;
	const struct record *r = w ? w->record : NULL;
	(void)unfolded;
	if (!r)
		return;
	bool due = raw_copy_head_due(&w->copy, w->from, r);
	json_open(to, NULL, '{');
	put_place(to, node, r);
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
	.put          = put,
};
