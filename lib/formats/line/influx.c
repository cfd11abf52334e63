/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * influx.c - encode records in the Influx line protocol: a line for each row, named after its type
 */
#include "formats/line/line.h"

#include "base/json.h"
#include "formats/line/line_word.h"

static void influx_put_time(struct buf *b, int64_t usec)
{
	buf_addf(b, " %lld000\n", (long long)usec);
}

/* Append a field. Returns false if the value is missing or exceeds a signed 64-bit integer. */
static bool influx_put_field(struct buf *b, const struct record_type *type,
			     const struct record_row *row,
			     size_t k, char before)
{
	bool real = row_is_real(row, k);
	if (!row_has(row, k) || (!real && row->value[k] > INT64_MAX))
		return false;
	buf_add_char(b, before);
	line_put_word(b, str_of(type->key[k].name));
	buf_add_char(b, '=');
	if (real) {
		json_put_double(b, row->real[k]);
	} else {
		buf_add_u64(b, row->value[k]);
		buf_add_char(b, 'i');
	}
	return true;
}

static void influx_put_row(struct buf *b, struct str tags, const struct record_type *type,
			   const struct record_row *row, int64_t usec)
{
	bool is_job = strcmp(type->name, "job") == 0;
	size_t start = b->n;
	line_put_word(b, str_of(type->name));
	buf_add(b, tags);
	if (!str_eq(row->device, STR("-")))
		line_put_tag(b, is_job ? STR("jobid") : STR("device"), row->device);
	char before = ' ';
	for (size_t k = 0; k < type->n_keys; k++)
		if (influx_put_field(b, type, row, k, before))
			before = ',';
	if (before == ' ')
		b->n = start;	/* remove the line, because no key of the row has a value */
	else
		influx_put_time(b, usec);
}

static void influx_put_record(struct buf *to, const struct line_node *node, const struct record *r)
{
	struct buf tags CLEANUP(buf_free) = { 0 };
	line_put_tag(&tags, STR("host"), node->host);
	for (size_t i = 0; i < node->n_labels; i++)
		line_put_tag(&tags, node->label[i].name, node->label[i].value);
	for (size_t i = 0; i < r->n_jobs; i++) {
		buf_add(to, STR("nodometer_job"));
		buf_add(to, buf_str(&tags));
		line_put_tag(to, STR("jobid"), r->job[i]);
		buf_add(to, STR(" owns=1i"));
		influx_put_time(to, r->usec);
	}
	for (size_t i = 0; i < r->n_types; i++)
		for (size_t d = 0; d < r->rows[i].n; d++)
			influx_put_row(to, buf_str(&tags), r->rows[i].type, &r->rows[i].row[d],
				       r->usec);
}

const struct line_encoder influx_encoder = {
	.name         = "influx",
	.about        = "Influx line protocol (VictoriaMetrics, InfluxDB, QuestDB, Telegraf)",
	.content_type = "text/plain; charset=utf-8",
	.put          = influx_put_record,
};
