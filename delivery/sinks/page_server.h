/* SPDX-License-Identifier: BSD-3-Clause */
/* page_server.h - answer GET /metrics in threads of libmicrohttpd */
#pragma once

#include "base/keys.h"
#include "base/listener.h"

#define PAGE_SOCKET "metrics.sock"

struct page_keys {
	char listen[KEY_TEXT_MAX], socket_dir[KEY_TEXT_MAX];
	char cert_file[KEY_TEXT_MAX], key_file[KEY_TEXT_MAX], token_file[KEY_TEXT_MAX];
	/* true: allow addresses other than the loopback address without TLS */
	bool plain;
};

/* The callback that makes the page. The server calls make() in its threads. */
struct page_maker {
	const char *content_type;
	void (*make)(void *arg, struct buf *to);
	void *arg;
};

struct page_server;

/* Check that the keys are consistent. Returns 0, or -EINVAL and why. */
int page_keys_check(const struct page_keys *k, struct buf *why) MUST_CHECK;
/* Serve the page at .listen, .socket_dir or both. Returns 0, or -errno and why. */
int page_server_open(const struct page_keys *k, const struct page_maker *maker,
		     struct page_server **ret, struct buf *why) MUST_CHECK;
void page_server_close(struct page_server *s);	/* s may be NULL */
