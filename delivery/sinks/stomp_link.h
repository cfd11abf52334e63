/* SPDX-License-Identifier: BSD-3-Clause */
/* stomp_link.h - send messages to a STOMP 1.2 broker, and wait for receipts, with libcurl */
#pragma once

#include "sinks/messages.h"

struct stomp_keys {
	struct broker_keys at;
	char vhost[KEY_TEXT_MAX], destination[KEY_TEXT_MAX];
};

struct stomp_link;

/*
 * All functions return 0, or -errno and why. After a failure only stomp_link_close() may be called.
 */
int stomp_keys_check(const struct stomp_keys *k, struct buf *why) MUST_CHECK;
/*
 * Connect and log in. The keys must stay valid. The login must finish within 30 s, whatever the
 * broker sends meanwhile.
 */
int stomp_link_open(const struct stomp_keys *k, struct stomp_link **ret,
		    struct buf *why) MUST_CHECK;
void stomp_link_close(struct stomp_link *l);	/* l may be NULL */

/*
 * Send all messages and wait for a receipt of each. Must finish within 60 s plus 1 s per 64 KB of
 * messages, whatever the broker sends meanwhile.
 */
int stomp_link_deliver(struct stomp_link *l, const struct messages *m, struct buf *why) MUST_CHECK;
