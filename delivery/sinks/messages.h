/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h - keep one message per record until the broker has confirmed all messages */
#pragma once

#include "formats/line/line.h"
#include "formats/line/rates.h"
#include "sinks/sink.h"

/* Keys of all sinks that connect to a broker. */
struct broker_keys {
	char broker[KEY_TEXT_MAX];	/* one broker, or several for Kafka */
	char user[KEY_TEXT_MAX], password_file[KEY_TEXT_MAX];
	char ca_file[KEY_TEXT_MAX], cert_file[KEY_TEXT_MAX], key_file[KEY_TEXT_MAX];
	bool tls;
};

/*
 * Rows for the login and TLS in a sink's table of keys. `at` is the offset of the struct
 * broker_keys in the sink's state.
 */
#define BROKER_AT(at, field) ((at) + offsetof(struct broker_keys, field))
#define BROKER_KEYS(at, of_user, of_ca_file) \
	{ "user", KEY_TEXT, BROKER_AT(at, user), .help = (of_user) }, \
	{ "password-file", KEY_SECRET, BROKER_AT(at, password_file), \
	  .help = "file of the password or token" }, \
	{ "tls", KEY_CHOICE, BROKER_AT(at, tls), .no = "no", .yes = "yes", .usual = "yes", \
	  .help = "no: send the password and all records unencrypted" }, \
	{ "ca-file", KEY_PATH_OR_NOTHING, BROKER_AT(at, ca_file), \
	  .help = (of_ca_file) }, \
	{ "cert-file", KEY_PATH_OR_NOTHING, BROKER_AT(at, cert_file), \
	  .help = "file of the client's certificate" }, \
	{ "key-file", KEY_SECRET, BROKER_AT(at, key_file), \
	  .help = "file of the certificate's key" }

struct broker;

/* The messages of a sink. Must be the first member of the sink's state. */
struct messages {
	const struct broker *to;
	char format[KEY_TEXT_MAX];	/* value of the sink's key "format" */
	const struct line_encoder *encoder;
	struct line_node node;
	struct line_label label[LINE_LABELS_MAX];
	struct rates rates;
	uint64_t *sent;		/* counter of bytes sent; see struct sink_node */
	/* modification time of the password file at the last flush, in nanoseconds since 1970 */
	int64_t password_ns;
	/* time of the first flush of this connection, in nanoseconds of CLOCK_MONOTONIC; 0: none */
	int64_t connected_ns;
	/* the header that was sent last, see line_head_due(); "" if there was none */
	struct buf head;
	struct buf text;	/* the text of all messages */
	size_t *end, n, cap;	/* end offset of each message in text */
};

/* Split "HOST", "HOST:PORT" or "[IPV6-ADDRESS]:PORT". Returns false if the text is malformed. */
bool broker_take(const char *broker, int usual_port, char *host, size_t size, int *port);
/*
 * Check the keys broker, user and password-file. Returns false, with the reason in why, if one of
 * these keys is missing, or if the value of broker is malformed or has a character that would
 * change the meaning of the URL of https_set_peer().
 */
bool broker_keys_check(const struct broker_keys *k, struct buf *why);

/* The functions with which messages.c sends a sink's messages to its broker. */
struct broker {
	size_t keys;			/* offset of the broker_keys in the state of the sink */
	int (*connect)(void *state, struct buf *why);	/* connects if there is no connection */
	/* Sends all messages and waits for the broker's confirmations. */
	int (*publish)(void *state, struct buf *why);
	void (*disconnect)(void *state);	/* does nothing if there is no connection */
};

/* Called by the open() of a sink. `to` and node must stay valid. Returns 0. */
int messages_open(struct messages *m, const struct broker *to, const struct sink_node *node);

/* the functions put() and put_line() of struct sink, for all sinks that have messages */
int messages_put(void *state, const struct record *r, struct buf *why);
int messages_put_line(void *state, struct str line, struct buf *why);

/*
 * Deliver all messages. Reconnects after a failure, because late confirmations on the old
 * connection would be ambiguous, and old messages must not arrive after new ones. Also reconnects
 * if the password file was replaced, since a token is replaced before it expires, and after
 * CONNECTION_LIFE_S, to look up the broker's address again.
 */
int messages_flush(void *state, struct buf *why);
void messages_close(void *state);

/*
 * Connect, append to said that the broker accepts the login, and disconnect. Returns 0, or -errno.
 */
int messages_probe(void *state, const struct broker *to, struct buf *said);

/* Check that the format is a known encoding. Returns 0, or -EINVAL and why. */
int messages_check(const struct messages *m, struct buf *why) MUST_CHECK;
struct str messages_get(const struct messages *m, size_t i);
