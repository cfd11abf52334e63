/* SPDX-License-Identifier: BSD-3-Clause */
/* page_server.h - answer GET /metrics with libmicrohttpd */
#pragma once

#include "base/keys.h"
#include "base/listener.h"

#define PAGE_SOCKET "metrics.sock"

struct page_keys {
	char listen[KEY_TEXT_MAX], socket_dir[KEY_TEXT_MAX];
	char cert_file[KEY_TEXT_MAX], key_file[KEY_TEXT_MAX], token_file[KEY_TEXT_MAX];
	bool plain;	/* true: allow addresses other than the loopback address without TLS */
};

/* The callback that makes the page. */
struct page_maker {
	const char *content_type;
	void (*make)(void *arg, struct buf *to);
	void *arg;
	/*
	 * true: make() is called by page_server_run(), and there is no thread; false: make() is
	 * called in the server's threads
	 */
	bool polled;
};

/* The programs that can connect to an address. */
enum page_reach {
	PAGE_NO_ADDRESS,	/* not a numeric ADDRESS:PORT */
	PAGE_THIS_HOST,		/* the loopback address: programs of this host */
	PAGE_OTHER_HOSTS,
};

struct page_server;

/* Check that the keys are consistent. Returns 0, or -EINVAL and why. */
int page_keys_check(const struct page_keys *k, struct buf *why) MUST_CHECK;
/* Serve the page at .listen, .socket_dir or both. Returns 0, or -errno and why. */
int page_server_open(const struct page_keys *k, const struct page_maker *maker,
		     struct page_server **ret, struct buf *why) MUST_CHECK;
void page_server_close(struct page_server *s);	/* s may be NULL */

enum page_reach page_reach_of(const char *listen);

/*
 * Functions for a page_maker with .polled, at .listen only. Call page_server_run() when the
 * descriptor of page_server_fd() is readable, and every second for timeouts; page_server_run() does
 * not wait.
 */
int page_server_fd(const struct page_server *s);
void page_server_run(struct page_server *s);
