/* SPDX-License-Identifier: BSD-3-Clause */
/* csv.c - encode records as CSV: time, host, jobs, type, device, key, value */
#include "formats/line/line.h"

#include "base/csv.h"

static void csv_put_header_line(struct buf *to)
{
	buf_add(to, STR("time,host,jobs,type,device,key,value\n"));
}

static void csv_put_line_start(struct buf *head, const struct line_node *node,
			       const struct record *r)
{
	struct buf jobs CLEANUP(buf_free) = { 0 };
	buf_add_time(head, r->usec);
	csv_raw(head, STR(""));
	csv_str(head, node->host);
	record_put_jobs(&jobs, r);
	csv_str(head, buf_str(&jobs));
}

static void csv_put_row(struct buf *to, struct str head, const struct record_type *type,
			const struct record_row *row)
{
	for (size_t k = 0; k < type->n_keys; k++) {
		if (!row_has(row, k))
			continue;
		buf_add(to, head);
		csv_str(to, str_of(type->name));
		csv_str(to, row->device);
		csv_str(to, str_of(type->key[k].name));
		row_put_value(to, row, k);
		buf_add_char(to, '\n');
	}
}

static void csv_put_record(struct buf *to, const struct line_node *node, const struct record *r)
{
	struct buf head CLEANUP(buf_free) = { 0 };
	csv_put_line_start(&head, node, r);
	for (size_t i = 0; i < r->n_types; i++)
		for (size_t d = 0; d < r->rows[i].n; d++)
			csv_put_row(to, buf_str(&head), r->rows[i].type, &r->rows[i].row[d]);
}

const struct line_encoder csv_encoder = {
	.name         = "csv",
	.about        = "a line time,host,jobs,type,device,key,value for each value",
	.content_type = "text/csv; charset=utf-8",
	.begin        = csv_put_header_line,
	.put          = csv_put_record,
};
