/* SPDX-License-Identifier: BSD-3-Clause */
/* amqp.c - send each record as a persistent, confirmed message to an AMQP 0-9-1 broker */
#include "sinks/sink.h"

#include "sinks/amqp_link.h"
#include "sinks/messages.h"

struct amqp_sink {
	struct messages messages;
	struct amqp_keys keys;
	struct amqp_link *link;		/* NULL if not connected */
};

#define AT(field) offsetof(struct amqp_sink, field)
static const struct key keys[] = {
	{ "broker", KEY_TEXT, AT(keys.at.broker), .help = "HOST or HOST:PORT (default port 5671, "
	  "without TLS 5672)" },
	{ "vhost", KEY_TEXT, AT(keys.vhost), .usual = "/", .help = "virtual host" },
	{ "exchange", KEY_TEXT, AT(keys.exchange),
	  .help = "exchange to publish to (default: directly to the queue routing-key)" },
	{ "routing-key", KEY_TEXT, AT(keys.routing_key), .usual = "nodometer",
	  .help = "routing key of each message" },
	{ "declare", KEY_CHOICE, AT(keys.declare), .no = "no", .yes = "yes", .usual = "no",
	  .help = "without exchange: create a durable queue if there is none" },
	{ "format", KEY_TEXT, AT(messages.format), .usual = "jsonl", .help = SINK_ENCODINGS },
	BROKER_KEYS(AT(keys.at), "login user; required",
		    "file of trusted certificates; required for TLS"),
};

static int amqp_check(void *state, struct buf *why)
{
	struct amqp_sink *a = state;
	int r = messages_check(&a->messages, why);
	return r < 0 ? r : amqp_keys_check(&a->keys, why);
}

static int amqp_connect(void *state, struct buf *why)
{
	struct amqp_sink *a = state;
	return a->link ? 0 : amqp_link_open(&a->keys, &a->link, why);
}

/*
 * Publish all messages, then wait for all confirmations: one round trip instead of one per message.
 */
static int amqp_publish(void *state, struct buf *why)
{
	struct amqp_sink *a = state;
	const struct messages *m = &a->messages;
	int r = 0;
	for (size_t i = 0; r == 0 && i < m->n; i++)
		r = amqp_link_publish(a->link, messages_get(m, i), m->encoder->content_type, why);
	return r < 0 ? r : amqp_link_confirm(a->link, m->n, why);
}

static void amqp_disconnect(void *state)
{
	struct amqp_sink *a = state;
	amqp_link_close(a->link);
	a->link = NULL;
}

static const struct broker amqp_broker = {
	AT(keys.at), amqp_connect, amqp_publish, amqp_disconnect,
};

static int amqp_open(void *state, const struct sink_node *node, struct buf *why)
{
	(void)why;
	return messages_open(state, &amqp_broker, node);
}

static int amqp_probe(void *state, const struct sink_node *node, struct buf *said)
{
	struct amqp_sink *a = state;
	(void)node;
	a->keys.declare = false;	/* a probe changes nothing at the broker */
	return messages_probe(state, &amqp_broker, said);
}

const struct sink amqp_sink = {
	.name     = "amqp",
	.about    = "a message for each record to RabbitMQ (AMQP 0-9-1), confirmed",
	.size     = sizeof(struct amqp_sink),
	.unfolded = true,
	.check    = amqp_check, .open = amqp_open,
	.put      = messages_put, .put_line = messages_put_line,
	.flush    = messages_flush, .probe = amqp_probe, .close = messages_close,
	SINK_KEYS(keys),
};
