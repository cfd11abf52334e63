/* SPDX-License-Identifier: BSD-3-Clause */
/* stomp.c - send each record as a persistent message to a STOMP 1.2 broker, with a receipt */
#include "sinks/sink.h"

#include "sinks/messages.h"
#include "sinks/stomp_link.h"

struct stomp_sink {
	struct messages messages;
	struct stomp_keys keys;
	struct stomp_link *link;	/* NULL if not connected */
};

#define AT(field) offsetof(struct stomp_sink, field)
static const struct key keys[] = {
	{ "broker", KEY_TEXT, AT(keys.at.broker), .help = "HOST or HOST:PORT (default port 61614, "
	  "without TLS 61613)" },
	{ "vhost", KEY_TEXT, AT(keys.vhost), .usual = "/", .help = "virtual host" },
	{ "destination", KEY_TEXT, AT(keys.destination), .usual = "/queue/nodometer",
	  .help = "destination of each message: /queue/NAME or /topic/NAME" },
	{ "format", KEY_TEXT, AT(messages.format), .usual = "jsonl", .help = SINK_ENCODINGS },
	BROKER_KEYS(AT(keys.at), "login user; required",
		    "file of trusted certificates (default: the system's)"),
};

static int stomp_check(void *state, struct buf *why)
{
	struct stomp_sink *s = state;
	int r = messages_check(&s->messages, why);
	return r < 0 ? r : stomp_keys_check(&s->keys, why);
}

static int stomp_connect(void *state, struct buf *why)
{
	struct stomp_sink *s = state;
	return s->link ? 0 : stomp_link_open(&s->keys, &s->link, why);
}

static int stomp_publish(void *state, struct buf *why)
{
	struct stomp_sink *s = state;
	return stomp_link_deliver(s->link, &s->messages, why);
}

static void stomp_disconnect(void *state)
{
	struct stomp_sink *s = state;
	stomp_link_close(s->link);
	s->link = NULL;
}

static const struct broker stomp_broker = {
	AT(keys.at), stomp_connect, stomp_publish, stomp_disconnect,
};

static int stomp_open(void *state, const struct sink_node *node, struct buf *why)
{
	(void)why;
	return messages_open(state, &stomp_broker, node);
}

static int stomp_probe(void *state, const struct sink_node *node, struct buf *said)
{
	(void)node;
	return messages_probe(state, &stomp_broker, said);
}

const struct sink stomp_sink = {
	.name     = "stomp",
	.about    = "a message for each record to a broker of STOMP 1.2, confirmed",
	.size     = sizeof(struct stomp_sink),
	.unfolded = true,
	.check    = stomp_check, .open = stomp_open,
	.put      = messages_put, .put_line = messages_put_line,
	.flush    = messages_flush, .probe = stomp_probe, .close = messages_close,
	SINK_KEYS(keys),
};
