/* SPDX-License-Identifier: BSD-3-Clause */
/* remote_write.c - Prometheus remote write 1.0: prometheus.WriteRequest, before snappy */
#include "formats/line/series.h"

#include "formats/line/protobuf.h"

/* prompb/remote.proto and types.proto. */
enum {
	REQUEST_SERIES = 1, SERIES_LABEL = 1, SERIES_SAMPLE = 2,
	LABEL_NAME = 1, LABEL_VALUE = 2, SAMPLE_VALUE = 1, SAMPLE_MS = 2,
};

struct request {
	struct buf *to;
	struct buf name;
};

static void put_label(struct buf *b, struct str name, struct str value)
{
	if (!value.n)
		return;		/* Prometheus takes an empty label for a missing one */
	size_t label = pb_open(b, SERIES_LABEL);
	pb_text(b, LABEL_NAME, name);
	pb_text(b, LABEL_VALUE, value);
	pb_close(b, label);
}

static void on_family(void *arg, const struct series_family *f)
{
	struct request *q = arg;
	q->name.n = 0;
	put_label(&q->name, STR("__name__"), str_of(f->name));
}

static void on_sample(void *arg, const struct series_sample *s)
{
	struct request *q = arg;
	size_t series = pb_open(q->to, REQUEST_SERIES);
	buf_add(q->to, buf_str(&q->name));
	for (size_t i = 0; i < s->n_labels; i++)
		put_label(q->to, s->label[i].name, s->label[i].value);
	size_t sample = pb_open(q->to, SERIES_SAMPLE);
	pb_double(q->to, SAMPLE_VALUE, s->value);
	pb_u64(q->to, SAMPLE_MS, (uint64_t)(s->usec / 1000));
	pb_close(q->to, sample);
	pb_close(q->to, series);
}

static void put(struct buf *to, const struct line_node *node, const struct record *r)
{
	struct request q = { .to = to };
	series_walk(&series_prometheus, node, r,
		    &(struct series_listener){ on_family, on_sample, &q });
	buf_free(&q.name);
}

const struct line_encoder remote_write_encoder = {
	.name         = "remote-write",
	.about        = "Prometheus remote write (Prometheus, VictoriaMetrics, Mimir, Thanos)",
	.content_type = "application/x-protobuf",
	.header       = "X-Prometheus-Remote-Write-Version: 0.1.0",
	.snappy       = true,
	.put          = put,
};
