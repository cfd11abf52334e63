/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c - a message for each record, kept until the broker has them all */
#include "sinks/messages.h"

#include <errno.h>
#include <stdlib.h>
#include "sinks/line_of.h"

#define MUCH (4u << 20)

int messages_check(const char *format, struct buf *why)
{
	if (line_encoder_find(str_of(format)))
		return 0;
	buf_addf(why, "format = %s: want " SINK_ENCODINGS, format);
	return -EINVAL;
}

void messages_open(struct messages *m, const char *format, const struct sink_node *node)
{
	m->node = line_of(node, m->label);
	m->encoder = line_encoder_find(str_of(format));
	m->sent = node->sent;
}

void messages_free(struct messages *m)
{
	buf_free(&m->text);
	free(m->end);
}

int messages_put(struct messages *m, const struct record *r)
{
	size_t start = m->text.n, body;
	if (m->encoder->begin)
		m->encoder->begin(&m->text);
	body = m->text.n;
	m->encoder->put(&m->text, &m->node, r);
	if (m->text.n == body) {
		m->text.n = start;
		return 0;
	}
	if (m->encoder->end)
		m->encoder->end(&m->text);
	m->end = vec_reserve(m->end, &m->cap, m->n + 1, sizeof(*m->end));
	m->end[m->n++] = m->text.n;
	return m->text.n >= MUCH;
}

struct str messages_get(const struct messages *m, size_t i)
{
	size_t from = i ? m->end[i - 1] : 0;
	return (struct str){ m->text.p + from, m->end[i] - from };
}

void messages_delivered(struct messages *m)
{
	*m->sent += m->text.n;
	m->n = m->text.n = 0;
}
