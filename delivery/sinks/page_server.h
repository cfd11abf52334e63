/* SPDX-License-Identifier: BSD-3-Clause */
/* page_server.h - GET /metrics by libmicrohttpd, from threads of its own */
#pragma once

#include "base/keys.h"
#include "base/listener.h"

#define PAGE_SOCKET "metrics.sock"

struct page_keys {
	char listen[KEY_TEXT_MAX], socket_dir[KEY_TEXT_MAX];
	char cert_file[KEY_TEXT_MAX], key_file[KEY_TEXT_MAX], token_file[KEY_TEXT_MAX];
	bool plain;		/* other addresses than this node's own without TLS, too */
};

/* Makes the page: called in threads of the server. */
struct page_maker {
	const char *content_type;
	void (*make)(void *arg, struct buf *to);
	void *arg;
};

struct page_server;

/* Whether the keys go together: 0, or -EINVAL and why. */
int page_keys_check(const struct page_keys *k, struct buf *why) MUST_CHECK;
/* Serves as the keys say, at .listen or .socket_dir or both: 0, or -errno and why. */
int page_server_open(const struct page_keys *k, const struct page_maker *maker,
		     struct page_server **ret, struct buf *why) MUST_CHECK;
void page_server_close(struct page_server *s);	/* NULL is fine */
