/* SPDX-License-Identifier: BSD-3-Clause */
/* stomp_link.h - a connection to a broker of STOMP 1.2 by libcurl, which has a receipt for all */
#pragma once

#include "base/keys.h"
#include "sinks/messages.h"

struct stomp_keys {
	char broker[KEY_TEXT_MAX], vhost[KEY_TEXT_MAX], destination[KEY_TEXT_MAX];
	char user[KEY_TEXT_MAX], password_file[KEY_TEXT_MAX];
	char ca_file[KEY_TEXT_MAX], cert_file[KEY_TEXT_MAX], key_file[KEY_TEXT_MAX];
	bool tls;
};

struct stomp_link;

/* All return 0, or -errno and why. After a failure the link is good for stomp_link_close() only. */
int stomp_keys_check(const struct stomp_keys *k, struct buf *why) MUST_CHECK;
/* A broker has 30 s for the login, whatever it sends meanwhile. */
int stomp_link_open(const struct stomp_keys *k, struct stomp_link **ret,
		    struct buf *why) MUST_CHECK;
void stomp_link_close(struct stomp_link *l);	/* NULL is fine */

/*
 * Sends all messages and waits for a receipt of each, for a minute and a second for each 64 KB in
 * all, whatever the broker sends meanwhile.
 */
int stomp_link_deliver(struct stomp_link *l, const struct messages *m, struct buf *why) MUST_CHECK;
