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
	{ "broker", KEY_TEXT, AT(keys.broker), .help = "HOST or HOST:PORT (default port 61614, "
	  "without TLS 61613)" },
	{ "vhost", KEY_TEXT, AT(keys.vhost), .usual = "/", .help = "virtual host" },
	{ "destination", KEY_TEXT, AT(keys.destination), .usual = "/queue/nodometer",
	  .help = "destination of each message: /queue/NAME or /topic/NAME" },
	{ "format", KEY_TEXT, AT(messages.format), .usual = "jsonl", .help = SINK_ENCODINGS },
	{ "user", KEY_TEXT, AT(keys.user), .help = "login user; required" },
	{ "password-file", KEY_SECRET, AT(keys.password_file),
	  .help = "file of the password or token" },
	{ "tls", KEY_CHOICE, AT(keys.tls), .no = "no", .yes = "yes", .usual = "yes",
	  .help = "no: send the password and all records unencrypted" },
	{ "ca-file", KEY_PATH_OR_NOTHING, AT(keys.ca_file),
	  .help = "file of trusted certificates (default: the system's)" },
	{ "cert-file", KEY_PATH_OR_NOTHING, AT(keys.cert_file),
	  .help = "file of the client's certificate" },
	{ "key-file", KEY_SECRET, AT(keys.key_file), .help = "file of the certificate's key" },
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

static int stomp_flush(void *state, struct buf *why)
{
	const struct stomp_sink *s = state;
	const struct broker stomp = { s->keys.password_file, stomp_connect, stomp_publish,
				     stomp_disconnect };
	return messages_flush(state, &stomp, why);
}

static int stomp_probe(void *state, const struct sink_node *node, struct buf *said)
{
	struct stomp_sink *s = state;
	(void)node;
	int r = stomp_connect(state, said);
	if (r == 0)
		buf_addf(said, "%s: takes the login", s->keys.broker);
	stomp_disconnect(state);
	return r;
}

static void stomp_close(void *state)
{
	stomp_disconnect(state);
	messages_free(state);
}

const struct sink stomp_sink = {
	.name     = "stomp",
	.about    = "a message for each record to a broker of STOMP 1.2, confirmed",
	.size     = sizeof(struct stomp_sink),
	.unfolded = true,
	.check    = stomp_check, .open = messages_open,
	.put      = messages_put, .put_line = messages_put_line,
	.flush    = stomp_flush, .probe = stomp_probe, .close = stomp_close,
	SINK_KEYS(keys),
};
