/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c - keep one message per record until the broker has confirmed all messages */
#include "sinks/messages.h"

#include <errno.h>
#include <stdlib.h>
#include "base/clock.h"
#include "sinks/line_of.h"

#define FLUSH_BYTES (4u << 20)

int messages_check(const struct messages *m, struct buf *why)
{
	if (line_encoder_find(str_of(m->format)))
		return 0;
	buf_addf(why, "format = %s: expected " SINK_ENCODINGS, m->format);
	return -EINVAL;
}

bool broker_take(const char *broker, int usual_port, char *host, size_t size, int *port)
{
	struct str rest = str_of(broker), name = rest;
	uint64_t n = (uint64_t)usual_port;
	bool quoted = str_take_prefix(&rest, STR("["));
	if (quoted && !str_take_until(&rest, ']', &name))
		return false;
	if (!quoted && str_take_until(&rest, ':', &name))
		rest = (struct str){ rest.p - 1, rest.n + 1 };
	else if (!quoted)
		rest.n = 0;
	if (rest.n && (!str_take_prefix(&rest, STR(":")) || !str_take_u64(&rest, &n) || rest.n))
		return false;
	*port = (int)n;
	return name.n && n >= 1 && n <= 65535 && str_copy(host, size, name);
}

bool broker_keys_check(const struct broker_keys *k, struct buf *why)
{
	char host[KEY_TEXT_MAX];
	int port;
	if (!k->broker[0])
		buf_addf(why, "broker is not set");
	else if (strpbrk(k->broker, "/@?# ") ||
		 !broker_take(k->broker, 1, host, sizeof(host), &port))
		buf_addf(why, "broker = %s: expected HOST or HOST:PORT", k->broker);
	else if (!k->user[0] || !k->password_file[0])
		buf_addf(why, "user and password-file: set both of them");
	else
		return true;
	return false;
}

int messages_open(struct messages *m, const struct broker *to, const struct sink_node *node)
{
	m->to = to;
	m->node = line_of(node, m->label, &m->rates);
	m->encoder = line_encoder_find(str_of(m->format));
	m->sent = node->sent;
	return 0;
}

void messages_close(void *state)
{
	struct messages *m = state;
	if (m->to)
		m->to->disconnect(state);
	buf_free(&m->text);
	buf_free(&m->head);
	rates_free(&m->rates);
	free(m->end);
}

static void messages_end_message(struct messages *m)
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
		messages_end_message(m);
	}
	if (m->encoder->begin)
		m->encoder->begin(&m->text);
	buf_add(&m->text, buf_str(&body));
	if (m->encoder->end)
		m->encoder->end(&m->text);
	messages_end_message(m);
	return m->text.n >= FLUSH_BYTES;
}

int messages_put_line(void *state, struct str line, struct buf *why)
{
	struct messages *m = state;
	(void)why;
	buf_add(&m->text, line);
	messages_end_message(m);
	return m->text.n >= FLUSH_BYTES;
}

struct str messages_get(const struct messages *m, size_t i)
{
	size_t from = i ? m->end[i - 1] : 0;
	return (struct str){ m->text.p + from, m->end[i] - from };
}

static void messages_disconnect(struct messages *m)
{
	m->to->disconnect(m);
	m->connected_ns = 0;
}

static const struct broker_keys *broker_keys_of(const void *state, const struct broker *to)
{
	return (const struct broker_keys *)((const char *)state + to->keys);
}

int messages_probe(void *state, const struct broker *to, struct buf *said)
{
	int r = to->connect(state, said);
	if (r == 0)
		buf_addf(said, "%s: login accepted", broker_keys_of(state, to)->broker);
	to->disconnect(state);
	return r;
}

int messages_flush(void *state, struct buf *why)
{
	struct messages *m = state;
	const struct broker *to = m->to;
	if (!m->n)
		return 0;
	int64_t changed = sink_secret_time(broker_keys_of(state, to)->password_file);
	int64_t now = monotonic_ns();
	if (changed != m->password_ns ||
	    (m->connected_ns && now - m->connected_ns > CONNECTION_LIFE_S * INT64_C(1000000000)))
		messages_disconnect(m);
	m->password_ns = changed;
	int r = to->connect(m, why);
	if (r == 0 && !m->connected_ns)
		m->connected_ns = now;
	if (r == 0)
		r = to->publish(m, why);
	if (r < 0) {
		messages_disconnect(m);
		return r;
	}
	*m->sent += m->text.n;
	m->n = m->text.n = 0;
	return r;
}
