/* SPDX-License-Identifier: BSD-3-Clause */
/* remote_write.c - encode records for Prometheus remote write 1.0, uncompressed */
#include "formats/line/series.h"

#include "formats/line/protobuf.h"

/* Field numbers of prompb/remote.proto and types.proto. */
enum {
	REQUEST_SERIES = 1, SERIES_LABEL = 1, SERIES_SAMPLE = 2,
	LABEL_NAME = 1, LABEL_VALUE = 2, SAMPLE_VALUE = 1, SAMPLE_MS = 2,
};

struct remote_write_request {
	struct buf *to;
	struct buf name;
};

static void remote_write_put_label(struct buf *b, struct str name, struct str value)
{
	if (!value.n)
		return;		/* Prometheus ignores empty labels */
	size_t label = pb_open(b, SERIES_LABEL);
	pb_text(b, LABEL_NAME, name);
	pb_text(b, LABEL_VALUE, value);
	pb_close(b, label);
}

static void remote_write_on_family(void *arg, const struct series_family *f)
{
	struct remote_write_request *q = arg;
	q->name.n = 0;
	remote_write_put_label(&q->name, STR("__name__"), str_of(f->name));
}

static void remote_write_on_sample(void *arg, const struct series_sample *s)
{
	struct remote_write_request *q = arg;
	size_t series = pb_open(q->to, REQUEST_SERIES);
	buf_add(q->to, buf_str(&q->name));
	for (size_t i = 0; i < s->n_labels; i++)
		remote_write_put_label(q->to, s->label[i].name, s->label[i].value);
	size_t sample = pb_open(q->to, SERIES_SAMPLE);
	pb_double(q->to, SAMPLE_VALUE, s->value);
	pb_u64(q->to, SAMPLE_MS, (uint64_t)(s->usec / 1000));
	pb_close(q->to, sample);
	pb_close(q->to, series);
}

static void remote_write_put_record(struct buf *to, const struct line_node *node,
				    const struct record *r)
{
	struct remote_write_request q = { .to = to };
	series_walk(&series_prometheus, node, r,
		    &(struct series_listener){ remote_write_on_family, remote_write_on_sample,
					      &q, .scraped = true });
	buf_free(&q.name);
}

const struct line_encoder remote_write_encoder = {
	.name         = "remote-write",
	.about        = "Prometheus remote write (Prometheus, VictoriaMetrics, Mimir, Thanos)",
	.content_type = "application/x-protobuf",
	.header       = "X-Prometheus-Remote-Write-Version: 0.1.0",
	.snappy       = true,
	.put          = remote_write_put_record,
};
