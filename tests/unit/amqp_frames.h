/* SPDX-License-Identifier: BSD-3-Clause */
/* amqp_frames.h - a broker of AMQP 0-9-1 says this, in frames */
#pragma once

#include "tests/unit/rogue.h"

/* A method's frame (AMQP 0-9-1, 2.3.5): its arguments are in body. */
static inline struct bytes amqp_frame(unsigned channel, unsigned class_id, unsigned method,
			       const struct bytes *body)
{
	struct bytes f = { 0 };
	add_number(&f, 1, 1);
	add_number(&f, 2, channel);
	add_number(&f, 4, 4 + body->n);
	add_number(&f, 2, class_id);
	add_number(&f, 2, method);
	memcpy(f.p + f.n, body->p, body->n);
	f.n += body->n;
	add_number(&f, 1, 0xce);
	return f;
}

/* The arguments of "close", of a connection or a channel. */
static inline struct bytes amqp_closes(unsigned code, const char *text)
{
	struct bytes b = { 0 };
	add_number(&b, 2, code);
	add_text(&b, 1, text);
	add_number(&b, 4, 0);
	return b;
}

/* A broker says this to a client that logs in, publishes, has its confirmation and closes. */
static inline size_t amqp_pieces(struct bytes *piece)
{
	struct bytes start = { 0 }, tune = { 0 }, name = { 0 }, text = { 0 }, none = { 0 };
	struct bytes ack = { 0 }, closes = amqp_closes(320, "CONNECTION_FORCED");
	size_t n = 0;
	add_number(&start, 2, 9);
	add_number(&start, 4, 17);		/* a table of one entry */
	add_text(&start, 1, "product");
	add_number(&start, 1, 'S');
	add_text(&start, 4, "R..t");
	add_text(&start, 4, "PLAIN AMQPLAIN");
	add_text(&start, 4, "en_US");
	add_number(&tune, 2, 2047);
	add_number(&tune, 4, 131072);
	add_number(&tune, 2, 60);
	add_text(&name, 1, "");
	add_text(&text, 4, "");
	add_number(&ack, 8, 1);
	add_number(&ack, 1, 0);
	piece[n++] = amqp_frame(0, 10, 10, &start);
	piece[n++] = amqp_frame(0, 10, 30, &tune);
	piece[n++] = amqp_frame(0, 10, 41, &name);
	piece[n++] = amqp_frame(1, 20, 11, &text);
	piece[n++] = amqp_frame(1, 85, 11, &none);
	piece[n++] = amqp_frame(1, 60, 80, &ack);
	piece[n++] = amqp_frame(0, 10, 51, &none);
	piece[n++] = amqp_frame(0, 10, 50, &closes);	/* in place of another */
	piece[n++] = amqp_frame(0, 10, 60, &name);	/* blocked */
	return n;
}
