/* SPDX-License-Identifier: BSD-3-Clause */
/* amqp_link.h - a connection to an AMQP 0-9-1 broker by librabbitmq, in confirm mode */
#pragma once

#include "base/keys.h"
#include "base/str.h"

struct amqp_keys {
	char broker[KEY_TEXT_MAX], vhost[KEY_TEXT_MAX];
	char exchange[KEY_TEXT_MAX], routing_key[KEY_TEXT_MAX];
	char user[KEY_TEXT_MAX], password_file[KEY_TEXT_MAX];
	char ca_file[KEY_TEXT_MAX], cert_file[KEY_TEXT_MAX], key_file[KEY_TEXT_MAX];
	bool declare, tls;
};

struct amqp_link;

/* All return 0, or -errno and why. After a failure the link is good for amqp_link_close() only. */
int amqp_keys_check(const struct amqp_keys *k, struct buf *why) MUST_CHECK;
int amqp_link_open(const struct amqp_keys *k, struct amqp_link **ret, struct buf *why) MUST_CHECK;
void amqp_link_close(struct amqp_link *l);	/* NULL is fine */

/* Persistent, and mandatory: one that no queue takes is a failure, not lost. */
int amqp_link_publish(struct amqp_link *l, struct str body, const char *content_type,
		      struct buf *why) MUST_CHECK;
/* Waits until the broker has the n messages since the last time; 30 s without a word are enough. */
int amqp_link_confirm(struct amqp_link *l, size_t n, struct buf *why) MUST_CHECK;
