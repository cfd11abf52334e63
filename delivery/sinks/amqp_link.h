/* SPDX-License-Identifier: BSD-3-Clause */
/* amqp_link.h - publish to an AMQP 0-9-1 broker, and consume from it, with librabbitmq */
#pragma once

#include "sinks/messages.h"

struct amqp_keys {
	struct broker_keys at;
	char vhost[KEY_TEXT_MAX], exchange[KEY_TEXT_MAX], routing_key[KEY_TEXT_MAX];
	bool declare;
};

struct amqp_link;

/*
 * All functions return 0, or -errno and why. After a failure only amqp_link_close() may be called.
 */
int amqp_keys_check(const struct amqp_keys *k, struct buf *why) MUST_CHECK;
/* Connect and log in. The keys must stay valid. */
int amqp_link_open(const struct amqp_keys *k, struct amqp_link **ret, struct buf *why) MUST_CHECK;
void amqp_link_close(struct amqp_link *l);	/* l may be NULL */

/*
 * Publish a persistent message with the flag "mandatory": if no queue takes the message,
 * amqp_link_confirm() fails.
 */
int amqp_link_publish(struct amqp_link *l, struct str body, const char *content_type,
		      struct buf *why) MUST_CHECK;
/*
 * Wait until the broker has confirmed the n messages published since the last call. Fails after 30
 * s without a frame from the broker.
 */
int amqp_link_confirm(struct amqp_link *l, size_t n, struct buf *why) MUST_CHECK;

/*
 * Ask the broker for the messages of the queue that .routing_key names. The broker sends up to
 * `ahead` messages before it waits for an acknowledgement.
 */
int amqp_link_consume(struct amqp_link *l, uint16_t ahead, struct buf *why) MUST_CHECK;
/*
 * Take the next message. The first message has the delivery tag 1, the next 2, and so on. Returns 1
 * and the message, or 0 if no message arrived within timeout_ms, or a frame of another kind arrived
 * first. A message of more than `most` bytes is returned as empty.
 */
int amqp_link_take(struct amqp_link *l, size_t most, int timeout_ms, struct buf *message,
		   struct buf *why) MUST_CHECK;
/* Acknowledge all messages up to a delivery tag. */
int amqp_link_acknowledge(struct amqp_link *l, uint64_t tag, struct buf *why) MUST_CHECK;
/*
 * Return the connection's descriptor, to poll for messages; -1 if a received message waits to be
 * taken.
 */
int amqp_link_fd(const struct amqp_link *l);
