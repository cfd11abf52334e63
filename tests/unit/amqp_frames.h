/* SPDX-License-Identifier: BSD-3-Clause */
/* amqp_frames.h - build the frames that an AMQP 0-9-1 broker sends */
#pragma once

#include "tests/unit/rogue.h"

/* Build a method frame (AMQP 0-9-1, section 2.3.5). body holds the encoded arguments. */
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

/* Encode the arguments of connection.close or channel.close. */
static inline struct bytes amqp_closes(unsigned code, const char *text)
{
	struct bytes b = { 0 };
	add_number(&b, 2, code);
	add_text(&b, 1, text);
	add_number(&b, 4, 0);
	return b;
}

/*
 * Fill piece[] with the frames that a broker sends in a session (login, channel, confirm mode,
 * acknowledgement and close), then with two frames that a broker may send at any time. Returns the
 * number of pieces.
 */
static inline size_t amqp_pieces(struct bytes *piece)
{
	struct bytes start = { 0 }, tune = { 0 }, name = { 0 }, text = { 0 }, none = { 0 };
	struct bytes ack = { 0 }, closes = amqp_closes(320, "CONNECTION_FORCED");
	size_t n = 0;
	add_number(&start, 2, 9);
	add_number(&start, 4, 17);		/* bytes of the property table (one entry) */
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
	piece[n++] = amqp_frame(0, 10, 50, &closes);	/* connection.close */
	piece[n++] = amqp_frame(0, 10, 60, &name);	/* connection.blocked */
	return n;
}
