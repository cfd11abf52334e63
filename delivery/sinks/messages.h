/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h - a message for each record, kept until the broker has them all */
#pragma once

#include "formats/line/line.h"
#include "formats/line/rates.h"
#include "sinks/sink.h"

/* First in the state of a sink that sends them. */
struct messages {
	char format[KEY_TEXT_MAX];	/* a key of the sink's */
	const struct line_encoder *encoder;
	struct line_node node;
	struct line_label label[LINE_LABELS_MAX];
	struct rates rates;
	uint64_t *sent;		/* the sink's, see sink_node */
	int64_t password_ns;	/* the time of the broker's file, as of the last flush */
	struct buf head;	/* put last, if the encoding has heads */
	struct buf text;	/* of all messages */
	size_t *end, n, cap;	/* where each message ends in .text */
};

/* "HOST", "HOST:PORT", of IPv6 "[ADDRESS]:PORT". */
bool broker_take(const char *broker, int usual_port, char *host, size_t size, int *port);
/* Whether the keys broker, user and password-file can be used: false, and why. */
bool broker_keys_check(const char *broker, const char *user, const char *password_file,
		       struct buf *why);

/* How messages go to a broker. */
struct broker {
	const char *password_file;	/* a key KEY_SECRET */
	int (*connect)(void *state, struct buf *why);	/* where there is no connection */
	/* All messages, and the broker's answers. */
	int (*publish)(void *state, struct buf *why);
	void (*disconnect)(void *state);
};

/* Functions of struct sink. */
int messages_open(void *state, const struct sink_node *node, struct buf *why);
int messages_put(void *state, const struct record *r, struct buf *why);
int messages_put_line(void *state, struct str line, struct buf *why);

/* Whether the format is an encoding: 0, or -EINVAL and why. */
int messages_check(const struct messages *m, struct buf *why) MUST_CHECK;
/*
 * After a failure a new connection begins, because late answers of the old one cannot be
 * distinguished, and messages of the old one must not come later. So it does where the password was
 * replaced, as a token is before its time is over.
 */
int messages_flush(struct messages *m, const struct broker *to, struct buf *why);
void messages_free(struct messages *m);

struct str messages_get(const struct messages *m, size_t i);
