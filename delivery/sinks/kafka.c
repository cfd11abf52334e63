/* SPDX-License-Identifier: BSD-3-Clause */
/* kafka.c - send each record as a message to Kafka, with the hostname as key */
#include "sinks/sink.h"

#include "sinks/kafka_producer.h"
#include "sinks/messages.h"

struct kafka_sink {
	struct messages messages;
	struct kafka_keys keys;
	struct kafka_producer *producer;	/* NULL if not connected */
};

#define AT(field) offsetof(struct kafka_sink, field)
static const struct key keys[] = {
	{ "brokers", KEY_TEXT, AT(keys.at.broker),
	  .help = "some brokers of the cluster: HOST:PORT ..." },
	{ "topic", KEY_TEXT, AT(keys.topic), .usual = "nodometer",
	  .help = "topic of the messages" },
	{ "format", KEY_TEXT, AT(messages.format), .usual = "jsonl", .help = SINK_ENCODINGS },
	BROKER_KEYS(AT(keys.at), "user for SASL",
		    "file of trusted certificates (default: the system's)"),
	{ "mechanism", KEY_TEXT, AT(keys.mechanism), .usual = "SCRAM-SHA-512",
	  .help = "mechanism of SASL: PLAIN, SCRAM-SHA-256, ..." },
	{ "options", KEY_TEXT, AT(keys.options),
	  .help = "options of librdkafka: NAME=VALUE ..., such as compression.codec=lz4" },
};

static int kafka_check(void *state, struct buf *why)
{
	struct kafka_sink *k = state;
	int r = messages_check(&k->messages, why);
	return r < 0 ? r : kafka_keys_check(&k->keys, why);
}

static int kafka_connect(void *state, struct buf *why)
{
	struct kafka_sink *k = state;
	return k->producer ? 0 : kafka_producer_open(&k->keys, true, &k->producer, why);
}

static int kafka_publish(void *state, struct buf *why)
{
	struct kafka_sink *k = state;
	const struct messages *m = &k->messages;
	int r = 0;
	for (size_t i = 0; r == 0 && i < m->n; i++)
		r = kafka_producer_put(k->producer, m->node.host, messages_get(m, i), why);
	return r < 0 ? r : kafka_producer_wait(k->producer, why);
}

static void kafka_disconnect(void *state)
{
	struct kafka_sink *k = state;
	kafka_producer_close(k->producer);
	k->producer = NULL;
}

static const struct broker kafka_broker = {
	AT(keys.at), kafka_connect, kafka_publish, kafka_disconnect,
};

static int kafka_open(void *state, const struct sink_node *node, struct buf *why)
{
	(void)why;
	return messages_open(state, &kafka_broker, node);
}

static int kafka_probe(void *state, const struct sink_node *node, struct buf *said)
{
	struct kafka_sink *k = state;
	(void)node;
	int r = kafka_producer_open(&k->keys, false, &k->producer, said);
	if (r == 0)
		r = kafka_producer_probe(k->producer, said);
	kafka_disconnect(state);
	return r;
}

const struct sink kafka_sink = {
	.name     = "kafka",
	.about    = "a message for each record to Kafka, with the host as key",
	.size     = sizeof(struct kafka_sink),
	.unfolded = true,
	.check    = kafka_check, .open = kafka_open,
	.put      = messages_put, .put_line = messages_put_line,
	.flush    = messages_flush, .probe = kafka_probe, .close = messages_close,
	SINK_KEYS(keys),
};
