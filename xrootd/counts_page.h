/* SPDX-License-Identifier: BSD-3-Clause */
/* counts_page.h - serve the receiver's own counters to Prometheus over HTTP (--listen) */
#pragma once

#include "base/buf.h"
#include "xrootd/program.h"

struct counts_page;

/* Check the argument of --listen. Returns NULL, or the reason why it is wrong. */
const char *counts_page_check(const char *listen, bool plain);

/*
 * Open the listening socket; call this before root privileges are dropped. Only counts_page_run()
 * accepts connections and reads requests. Returns NULL and sets `why` if the address cannot be
 * used.
 */
struct counts_page *counts_page_open(struct xrootd_program *p, const char *listen,
				     struct buf *why) MUST_CHECK;
void counts_page_close(struct counts_page *c);	/* c may be NULL */

/* Return the descriptor to poll for requests, or -1 if c is NULL. */
int counts_page_fd(const struct counts_page *c);
/* Answer waiting requests without blocking. Call this every second, even without requests. */
void counts_page_run(struct counts_page *c);

/*
 * Add the new counts of all servers. Call this every second, because counts of a server that is
 * forgotten between two calls are lost.
 */
void counts_page_tick(struct counts_page *c);
void counts_page_transfer(struct counts_page *c, const struct xrd_transfer *t);
