/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h - keep one message per record until the broker has confirmed all messages */
#pragma once

#include "formats/line/line.h"
#include "formats/line/rates.h"
#include "sinks/sink.h"

/* The messages of a sink. Must be the first member of the sink's state. */
struct messages {
	char format[KEY_TEXT_MAX];	/* value of the sink's key "format" */
	const struct line_encoder *encoder;
	struct line_node node;
	struct line_label label[LINE_LABELS_MAX];
	struct rates rates;
	uint64_t *sent;		/* see sink_node */
	int64_t password_ns;	/* modification time of the password file at the last flush */
	struct buf head;	/* head sent last, if the encoding has heads */
	struct buf text;	/* all messages */
	size_t *end, n, cap;	/* end offset of each message in text */
};

/* Split "HOST", "HOST:PORT" or "[IPV6-ADDRESS]:PORT". Returns false if the text is malformed. */
bool broker_take(const char *broker, int usual_port, char *host, size_t size, int *port);
/*
 * Check the keys broker, user and password-file. Returns false and why if they cannot be used, as a
 * broker with a character that would change the meaning of the URL of stomp_dial().
 */
bool broker_keys_check(const char *broker, const char *user, const char *password_file,
		       struct buf *why);

/* How a sink sends messages to its broker. */
struct broker {
	const char *password_file;	/* value of a key of kind KEY_SECRET */
	int (*connect)(void *state, struct buf *why);	/* connects if there is no connection */
	/* Sends all messages and waits for the broker's confirmations. */
	int (*publish)(void *state, struct buf *why);
	void (*disconnect)(void *state);
};

/* functions of struct sink, for all sinks with messages */
int messages_open(void *state, const struct sink_node *node, struct buf *why);
int messages_put(void *state, const struct record *r, struct buf *why);
int messages_put_line(void *state, struct str line, struct buf *why);

/* Check that the format is a known encoding. Returns 0, or -EINVAL and why. */
int messages_check(const struct messages *m, struct buf *why) MUST_CHECK;
/*
 * Deliver all messages. Reconnects after a failure, because late confirmations of the old
 * connection would be ambiguous and its messages must not arrive later; and if the password file
 * was replaced, as a token is before it expires.
 */
int messages_flush(struct messages *m, const struct broker *to, struct buf *why);
void messages_free(struct messages *m);

struct str messages_get(const struct messages *m, size_t i);
