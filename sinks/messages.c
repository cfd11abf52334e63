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
	m->node = line_of(node, m->label, &m->rates);
	m->encoder = line_encoder_find(str_of(format));
	m->sent = node->sent;
}

void messages_free(struct messages *m)
{
	buf_free(&m->text);
	buf_free(&m->head);
	rates_free(&m->rates);
	free(m->end);
}

static void end_message(struct messages *m)
{
	m->end = vec_reserve(m->end, &m->cap, m->n + 1, sizeof(*m->end));
	m->end[m->n++] = m->text.n;
}

int messages_put(struct messages *m, const struct record *r)
{
	struct buf body CLEANUP(buf_free) = { 0 };
	m->encoder->put(&body, &m->node, r);
	if (!body.n)
		return 0;
	if (line_head_due(m->encoder, &m->node, r, &m->head)) {
		buf_add(&m->text, buf_str(&m->head));
		end_message(m);
	}
	if (m->encoder->begin)
		m->encoder->begin(&m->text);
	buf_add(&m->text, buf_str(&body));
	if (m->encoder->end)
		m->encoder->end(&m->text);
	end_message(m);
	return m->text.n >= MUCH;
}

int messages_put_line(struct messages *m, struct str line)
{
	buf_add(&m->text, line);
	end_message(m);
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
