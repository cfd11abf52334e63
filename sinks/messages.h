/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h - a message for each record, kept until the broker has them all */
#pragma once

#include "formats/line/line.h"
#include "formats/line/rates.h"
#include "sinks/sink.h"

struct messages {
	const struct line_encoder *encoder;
	struct line_node node;
	struct line_label label[LINE_LABELS_MAX];
	struct rates rates;
	uint64_t *sent;		/* the sink's, see sink_node */
	struct buf head;	/* put last, if the encoding has heads */
	struct buf text;	/* of all messages */
	size_t *end, n, cap;	/* where each message ends in .text */
};

/* Whether a key "format" names an encoding: 0, or -EINVAL and why. */
int messages_check(const char *format, struct buf *why) MUST_CHECK;
void messages_open(struct messages *m, const char *format, const struct sink_node *node);
void messages_free(struct messages *m);

/* 1: that is much, and is to be flushed. A record of which nothing is wanted makes none. */
int messages_put(struct messages *m, const struct record *r);

int messages_put_line(struct messages *m, struct str line);	/* a message as it is */

struct str messages_get(const struct messages *m, size_t i);
/* The messages are delivered: counts their bytes as sent, and drops them. */
void messages_delivered(struct messages *m);
