/* SPDX-License-Identifier: BSD-3-Clause */
/* amqp_link.h - connect to an AMQP 0-9-1 broker in confirm mode, by librabbitmq */
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
