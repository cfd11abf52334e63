/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c - a message for each record, kept until the broker has them all */
#include "sinks/messages.h"

#include <errno.h>
#include <stdlib.h>
#include "sinks/line_of.h"

#define MUCH (4u << 20)

int messages_check(const struct messages *m, struct buf *why)
{
	if (line_encoder_find(str_of(m->format)))
		return 0;
	buf_addf(why, "format = %s: want " SINK_ENCODINGS, m->format);
	return -EINVAL;
}

int messages_open(void *state, const struct sink_node *node, struct buf *why)
{
	struct messages *m = state;
	(void)why;
	m->node = line_of(node, m->label, &m->rates);
	m->encoder = line_encoder_find(str_of(m->format));
	m->sent = node->sent;
	return 0;
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

int messages_put(void *state, const struct record *r, struct buf *why)
{
	struct messages *m = state;
	struct buf body CLEANUP(buf_free) = { 0 };
	(void)why;
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

int messages_put_line(void *state, struct str line, struct buf *why)
{
	struct messages *m = state;
	(void)why;
	buf_add(&m->text, line);
	end_message(m);
	return m->text.n >= MUCH;
}

struct str messages_get(const struct messages *m, size_t i)
{
	size_t from = i ? m->end[i - 1] : 0;
	return (struct str){ m->text.p + from, m->end[i] - from };
}

int messages_flush(struct messages *m, const struct broker *to, struct buf *why)
{
	if (!m->n)
		return 0;
	int r = to->connect(m, why);
	if (r == 0)
		r = to->publish(m, why);
	if (r < 0) {
		to->disconnect(m);
		return r;
	}
	*m->sent += m->text.n;
	m->n = m->text.n = 0;
	return r;
}
