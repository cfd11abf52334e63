/* SPDX-License-Identifier: BSD-3-Clause */
/* raw.c - encode records as raw text of dialect 2.3, for the message consumer of hpcperfstats */
#include "formats/line/line.h"

#include "formats/raw_write.h"

/*
 * Replace control characters from offset `from` on by "?": names in other agents' files may contain
 * such characters.
 */
static void raw_line_clean(struct buf *b, size_t from)
{
	for (size_t i = from; i < b->n; i++)
		if (((unsigned char)b->p[i] < ' ' && b->p[i] != '\n') || b->p[i] == 0x7f)
			b->p[i] = '?';
}

static void raw_line_put_schema(struct buf *to, const struct record_type *type)
{
	buf_addf(to, "!%s", type->name);
	/* no width: unfold() has extended all counters to 64 bits */
	for (size_t k = 0; k < type->n_keys; k++)
		raw_put_key(to, str_of(type->key[k].name), type->key[k].kind,
			    str_of(type->key[k].unit), 64);
	buf_add_char(to, '\n');
}

/* Write the header. The consumer expects the hostname in line 2. */
static void raw_line_put_head(struct buf *to, const struct line_node *node, const struct record *r)
{
	struct buf label CLEANUP(buf_free) = { 0 };
	size_t from = to->n;
	raw_put_property(to, "hpcperfstats", STR(RAW_VERSION_23));
	raw_put_property(to, "hostname", node->host);
	for (size_t i = 0; i < node->n_labels; i++) {
		label.n = 0;
		buf_addf(&label, STR_FMT "=" STR_FMT, STR_ARG(node->label[i].name),
			 STR_ARG(node->label[i].value));
		raw_put_property(to, "label", buf_str(&label));
	}
	for (size_t i = 0; i < r->n_types; i++)
		raw_line_put_schema(to, r->rows[i].type);
	raw_line_clean(to, from);
}

/*
 * Return true if the row has a value for each key. Rows without are left out, because the format
 * cannot mark a missing value.
 */
static bool raw_line_has_all_keys(const struct record_type *type, const struct record_row *row)
{
	for (size_t k = 0; k < type->n_keys; k++)
		if (!row_has(row, k))
			return false;
	return true;
}

static void raw_line_put_row(struct buf *to, const struct record_type *type,
			     const struct record_row *row)
{
	buf_addf(to, "%s " STR_FMT, type->name, STR_ARG(row->device));
	for (size_t k = 0; k < type->n_keys; k++) {
		buf_add_char(to, ' ');
		row_put_value(to, row, k);
	}
	buf_add_char(to, '\n');
}

static void raw_line_put_record(struct buf *to, const struct line_node *node,
				const struct record *r)
{
	struct buf jobs CLEANUP(buf_free) = { 0 };
	size_t from = to->n;
	record_put_jobs(&jobs, r);
	raw_put_group(to, r->usec, buf_str(&jobs), node->host);
	for (size_t i = 0; i < r->n_marks; i++)
		raw_put_mark(to, r->mark[i].text);
	for (size_t i = 0; i < r->n_types; i++)
		for (size_t d = 0; d < r->rows[i].n; d++)
			if (raw_line_has_all_keys(r->rows[i].type, &r->rows[i].row[d]))
				raw_line_put_row(to, r->rows[i].type, &r->rows[i].row[d]);
	raw_line_clean(to, from);
}

const struct line_encoder raw_encoder = {
	.name         = "raw",
	.about        = "hpcperfstats' raw text, dialect 2.3 (HPCPerfStats by RabbitMQ)",
	.content_type = "text/plain; charset=utf-8",
	.head         = raw_line_put_head,
	.put          = raw_line_put_record,
};
