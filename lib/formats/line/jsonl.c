/* SPDX-License-Identifier: BSD-3-Clause */
/* jsonl.c - encode records as JSON lines for ClickHouse: an object for each row and mark */
#include "formats/line/json_place.h"

#include "base/json.h"

/* Append the members that all lines of a record have. */
static void jsonl_put_line_start(struct buf *b, const struct line_node *node,
				 const struct record *r)
{
	json_open(b, NULL, '{');
	json_put_place(b, node, r);
}

static void jsonl_put_row(struct buf *b, const struct record_type *type,
			  const struct record_row *row)
{
	json_str(b, "type", str_of(type->name));
	json_str(b, "device", row->device);
	json_open(b, "key", '[');
	for (size_t k = 0; k < type->n_keys; k++)
		if (row_has(row, k))
			json_str(b, NULL, str_of(type->key[k].name));
	json_close(b, ']');
	json_open(b, "value", '[');
	for (size_t k = 0; k < type->n_keys; k++) {
		if (!row_has(row, k))
			continue;
		if (row_is_real(row, k))
			json_double(b, NULL, row->real[k]);
		else
			json_u64(b, NULL, row->value[k]);
	}
	buf_add(b, STR("]}\n"));
}

static void jsonl_put_record(struct buf *to, const struct line_node *node, const struct record *r)
{
	struct buf head CLEANUP(buf_free) = { 0 };
	jsonl_put_line_start(&head, node, r);
	for (size_t i = 0; i < r->n_marks; i++) {
		buf_add(to, buf_str(&head));
		json_str(to, "mark", r->mark[i].text);
		buf_add(to, STR("}\n"));
	}
	for (size_t i = 0; i < r->n_types; i++)
		for (size_t d = 0; d < r->rows[i].n; d++) {
			buf_add(to, buf_str(&head));
			jsonl_put_row(to, r->rows[i].type, &r->rows[i].row[d]);
		}
}

const struct line_encoder jsonl_encoder = {
	.name         = "jsonl",
	.about        = "a JSON object for each row and mark (ClickHouse JSONEachRow)",
	.content_type = "application/x-ndjson",
	.put          = jsonl_put_record,
};
