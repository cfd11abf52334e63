/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_points.c - compute the points of a curve */
#include "tcp/graph.h"

const char *graph_unit(const struct graph *g, const struct graph_column *c)
{
	static const char *const names[] = {
		[PM_UNIT_NONE] = "", [PM_UNIT_BYTES] = "bytes",
		[PM_UNIT_SEQUENCE] = "bytes of the stream",
		[PM_UNIT_STREAM] = "bytes of the stream",
		[PM_UNIT_USEC] = "microseconds", [PM_UNIT_SEGMENTS] = "segments",
		[PM_UNIT_RATE] = "bytes a second", [PM_UNIT_CLUSTERS] = "clusters",
		[PM_UNIT_NUMBER] = "number",
	};
	return names[c->unit == PM_UNIT_CLUSTERS && g->capture.h.cluster ? PM_UNIT_BYTES : c->unit];
}

/* A 32-bit TCP sequence number, extended to 64 bits. */
struct points_stream {
	bool begun;
	uint32_t last;
	int64_t at;
};

static double points_extend_sequence(struct points_stream *s, uint32_t v)
{
	s->at += (int32_t)(v - s->last);
	s->last = v;
	return (double)s->at;
}

/* Use the connection's first snd_max as the origin of all its sequence numbers. */
static void points_start_stream(struct points_stream *s, const struct graph *g,
				const struct tcp_connection *n, uint32_t v)
{
	const struct pm_column *max = pm_column(&g->capture.h, "snd_max");
	uint64_t base = v;

	for (size_t i = 0; max && i < n->n; i++)
		if (capture_value(&g->capture, g->capture.of_connection[n->first + i], max, &base))
			break;
	s->last = (uint32_t)base;
	s->at = 0;
	s->begun = true;
}

static void points_put_point(struct buf *b, double x, double y, uint64_t exact, bool is_exact)
{
	buf_addf(b, "%.6f ", x);
	if (is_exact)
		buf_add_u64(b, exact);
	else
		buf_addf(b, "%.15g", y);
	buf_add_char(b, '\n');
}

static size_t points_put_snapshot(struct buf *b, const struct graph *g, const struct graph_curve *c,
				  size_t snapshot, struct points_stream *s)
{
	const struct graph_column *of = c->of;
	double scale = of->scale;
	int64_t usec;
	uint64_t v;

	if (!capture_time(&g->capture, snapshot, &usec) ||
	    !capture_value(&g->capture, snapshot, of->column, &v))
		return 0;
	double x = (double)(usec - g->start) / 1e6, y = (double)v;
	bool sequence = of->unit == PM_UNIT_SEQUENCE && of->column->length == 4 &&
			c->connection != ALL_CONNECTIONS;
	if (sequence && !s->begun)
		points_start_stream(s, g, &g->capture.connection[c->connection], (uint32_t)v);
	if (sequence)
		y = points_extend_sequence(s, (uint32_t)v);
	if (of->unit == PM_UNIT_CLUSTERS && g->capture.h.cluster)
		scale *= g->capture.h.cluster;
	points_put_point(b, x, y * scale, v, !sequence && scale == 1);
	return 1;
}

size_t graph_put_points(struct buf *b, const struct graph *g, const struct graph_curve *c)
{
	const struct capture *p = &g->capture;
	struct points_stream s = { false };
	size_t n = 0;

	if (c->connection == ALL_CONNECTIONS) {
		for (size_t i = 0; i < p->n; i++)
			n += points_put_snapshot(b, g, c, i, &s);
		return n;
	}
	const struct tcp_connection *of = &p->connection[c->connection];
	for (size_t i = 0; i < of->n; i++)
		n += points_put_snapshot(b, g, c, p->of_connection[of->first + i], &s);
	return n;
}
