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
	{ "brokers", KEY_TEXT, AT(keys.brokers),
	  .help = "some brokers of the cluster: HOST:PORT ..." },
	{ "topic", KEY_TEXT, AT(keys.topic), .usual = "nodometer",
	  .help = "topic of the messages" },
	{ "format", KEY_TEXT, AT(messages.format), .usual = "jsonl", .help = SINK_ENCODINGS },
	{ "tls", KEY_CHOICE, AT(keys.tls), .no = "no", .yes = "yes", .usual = "yes",
	  .help = "no: send the password and all records unencrypted" },
	{ "ca-file", KEY_PATH_OR_NOTHING, AT(keys.ca_file),
	  .help = "file of trusted certificates (default: the system's)" },
	{ "cert-file", KEY_PATH_OR_NOTHING, AT(keys.cert_file),
	  .help = "file of the client's certificate" },
	{ "key-file", KEY_SECRET, AT(keys.key_file), .help = "file of the certificate's key" },
	{ "user", KEY_TEXT, AT(keys.user), .help = "user for SASL" },
	{ "password-file", KEY_SECRET, AT(keys.password_file),
	  .help = "file of the password or token" },
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

static int kafka_flush(void *state, struct buf *why)
{
	const struct kafka_sink *k = state;
	const struct broker kafka = { k->keys.password_file, kafka_connect, kafka_publish,
				     kafka_disconnect };
	return messages_flush(state, &kafka, why);
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

static void kafka_close(void *state)
{
	kafka_disconnect(state);
	messages_free(state);
}

const struct sink kafka_sink = {
	.name     = "kafka",
	.about    = "a message for each record to Kafka, with the host as key",
	.size     = sizeof(struct kafka_sink),
	.unfolded = true,
	.check    = kafka_check, .open = messages_open,
	.put      = messages_put, .put_line = messages_put_line,
	.flush    = kafka_flush, .probe = kafka_probe, .close = kafka_close,
	SINK_KEYS(keys),
};
