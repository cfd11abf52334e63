/* SPDX-License-Identifier: BSD-3-Clause */
/* kafka_producer.h - publish messages to Kafka with an idempotent producer of librdkafka */
#pragma once

#include "sinks/messages.h"

struct kafka_keys {
	struct broker_keys at;
	char topic[KEY_TEXT_MAX], mechanism[KEY_TEXT_MAX], options[KEY_TEXT_MAX];
};

struct kafka_producer;

/*
 * All functions return 0, or -errno and why. After a failure only kafka_producer_close() may be
 * called.
 */
int kafka_keys_check(const struct kafka_keys *k, struct buf *why) MUST_CHECK;
/*
 * Begin to connect to the brokers, without waiting for them. The keys must stay valid. If creates
 * is true, the brokers may create the topic.
 */
int kafka_producer_open(const struct kafka_keys *k, bool creates, struct kafka_producer **ret,
			struct buf *why) MUST_CHECK;
void kafka_producer_close(struct kafka_producer *p);	/* p may be NULL */

/*
 * Queue one message. The bytes are copied. If the queue is full, waits up to 36 s. Returns 0 also
 * for a message that is too large, which kafka_producer_wait() counts.
 */
int kafka_producer_put(struct kafka_producer *p, struct str key, struct str body,
		       struct buf *why) MUST_CHECK;
/*
 * Wait until all in-sync replicas have all queued messages. Returns 0; or the number of messages
 * that are too large, and why, if all others were delivered; or -errno and why. A message that no
 * broker accepts fails after 30 s.
 */
int kafka_producer_wait(struct kafka_producer *p, struct buf *why) MUST_CHECK;
/*
 * Ask the brokers about the topic, for up to 4 s. Returns 0 and appends to said how many partitions
 * the topic has; or -errno.
 */
int kafka_producer_probe(struct kafka_producer *p, struct buf *said) MUST_CHECK;
