/* SPDX-License-Identifier: BSD-3-Clause */
/* kafka_producer.h - an idempotent producer of librdkafka, whose messages are waited for */
#pragma once

#include "base/keys.h"
#include "base/str.h"

struct kafka_keys {
	char brokers[KEY_TEXT_MAX], topic[KEY_TEXT_MAX], options[KEY_TEXT_MAX];
	char ca_file[KEY_TEXT_MAX], cert_file[KEY_TEXT_MAX], key_file[KEY_TEXT_MAX];
	char user[KEY_TEXT_MAX], password_file[KEY_TEXT_MAX], mechanism[KEY_TEXT_MAX];
	bool tls;
};

struct kafka_producer;

/* All return 0, or -errno and why. After a failure only kafka_producer_close() is left. */
int kafka_keys_check(const struct kafka_keys *k, struct buf *why) MUST_CHECK;
int kafka_producer_open(const struct kafka_keys *k, struct kafka_producer **ret,
			struct buf *why) MUST_CHECK;
void kafka_producer_close(struct kafka_producer *p);	/* NULL is fine */

/* The bytes are copied. */
int kafka_producer_put(struct kafka_producer *p, struct str key, struct str body,
		       struct buf *why) MUST_CHECK;
/*
 * Waits until all in-sync replicas have all messages. 0; more than 0: so many are too large for the
 * brokers for ever, and the others are there; or -errno. A message that no broker takes is given up
 * after 30 s.
 */
int kafka_producer_wait(struct kafka_producer *p, struct buf *why) MUST_CHECK;
