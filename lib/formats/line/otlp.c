/* SPDX-License-Identifier: BSD-3-Clause */
/* otlp.c - encode records as an ExportMetricsServiceRequest of OpenTelemetry (protobuf) */
#include "formats/line/series.h"

#include "formats/line/protobuf.h"

/*
 * Field numbers of opentelemetry/proto: collector/metrics/v1, metrics/v1, resource/v1, common/v1.
 */
enum {
	REQUEST_RESOURCE_METRICS = 1,
	RESOURCE_METRICS_RESOURCE = 1, RESOURCE_METRICS_SCOPE_METRICS = 2,
	RESOURCE_ATTRIBUTE = 1,
	ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE = 2, VALUE_STRING = 1,
	SCOPE_METRICS_SCOPE = 1, SCOPE_METRICS_METRIC = 2, SCOPE_NAME = 1,
	METRIC_NAME = 1, METRIC_ABOUT = 2, METRIC_UNIT = 3, METRIC_GAUGE = 5, METRIC_SUM = 7,
	SUM_POINT = 1, SUM_TEMPORALITY = 2, SUM_MONOTONIC = 3,
	POINT_START = 2, POINT_TIME = 3, POINT_DOUBLE = 4, POINT_ATTRIBUTE = 7,
};
#define CUMULATIVE 2

struct otlp_request {
	struct buf *to;
	size_t metric, points;	/* offsets of the open messages in the buffer */
	bool open, sum;
};

static void otlp_put_attribute(struct buf *b, unsigned field, struct str name, struct str value)
{
	size_t attribute = pb_open(b, field);
	pb_text(b, ATTRIBUTE_KEY, name);
	size_t any = pb_open(b, ATTRIBUTE_VALUE);
	pb_text(b, VALUE_STRING, value);
	pb_close(b, any);
	pb_close(b, attribute);
}

/*
 * Write the attributes of the node. Mimir ignores host.name and builds the labels job and instance
 * from the attributes service.*; without service.instance.id, all nodes would share one series.
 */
static void otlp_put_resource(struct buf *b, const struct line_node *node)
{
	size_t resource = pb_open(b, RESOURCE_METRICS_RESOURCE);
	otlp_put_attribute(b, RESOURCE_ATTRIBUTE, STR("service.name"), STR("nodometer"));
	otlp_put_attribute(b, RESOURCE_ATTRIBUTE, STR("service.instance.id"), node->host);
	otlp_put_attribute(b, RESOURCE_ATTRIBUTE, STR("host.name"), node->host);
	for (size_t i = 0; i < node->n_labels; i++)
		otlp_put_attribute(b, RESOURCE_ATTRIBUTE, node->label[i].name,
				   node->label[i].value);
	pb_close(b, resource);
}

static void otlp_end_metric(struct otlp_request *q)
{
	if (!q->open)
		return;
	if (q->sum) {
		pb_u64(q->to, SUM_TEMPORALITY, CUMULATIVE);
		pb_u64(q->to, SUM_MONOTONIC, 1);
	}
	pb_close(q->to, q->points);
	pb_close(q->to, q->metric);
	q->open = false;
}

static void otlp_on_family(void *arg, const struct series_family *f)
{
	struct otlp_request *q = arg;
	otlp_end_metric(q);
	q->metric = pb_open(q->to, SCOPE_METRICS_METRIC);
	pb_text(q->to, METRIC_NAME, str_of(f->name));
	if (*f->help)
		pb_bytes(q->to, METRIC_ABOUT, str_of(f->help));
	pb_bytes(q->to, METRIC_UNIT, str_of(f->unit->ucum));
	q->sum = f->kind == COUNTER;
	q->points = pb_open(q->to, q->sum ? METRIC_SUM : METRIC_GAUGE);
	q->open = true;
}

static void otlp_on_sample(void *arg, const struct series_sample *s)
{
	struct otlp_request *q = arg;
	size_t point = pb_open(q->to, SUM_POINT);
	if (q->sum && s->since)
		pb_fixed64(q->to, POINT_START, (uint64_t)s->since * 1000);
	pb_fixed64(q->to, POINT_TIME, (uint64_t)s->usec * 1000);
	pb_double(q->to, POINT_DOUBLE, s->value);
	for (size_t i = 0; i < s->n_labels; i++)
		otlp_put_attribute(q->to, POINT_ATTRIBUTE, s->label[i].name, s->label[i].value);
	pb_close(q->to, point);
}

/* Encode a record. The node is the resource; each point has only the labels of its own sample. */
static void otlp_put_record(struct buf *to, const struct line_node *node, const struct record *r)
{
	struct otlp_request q = { .to = to };
	size_t all = pb_open(to, REQUEST_RESOURCE_METRICS);
	otlp_put_resource(to, node);
	size_t scope = pb_open(to, RESOURCE_METRICS_SCOPE_METRICS);
	size_t name = pb_open(to, SCOPE_METRICS_SCOPE);
	pb_bytes(to, SCOPE_NAME, STR("nodometer"));
	pb_close(to, name);
	series_walk(&series_otlp, &(struct line_node){ { 0 } }, r,
		    &(struct series_listener){ otlp_on_family, otlp_on_sample, &q });
	otlp_end_metric(&q);
	pb_close(to, scope);
	pb_close(to, all);
}

const struct line_encoder otlp_encoder = {
	.name         = "otlp",
	.about        = "OpenTelemetry metrics over HTTP (collector, Mimir, VictoriaMetrics)",
	.content_type = "application/x-protobuf",
	.put          = otlp_put_record,
};
