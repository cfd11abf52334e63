/* SPDX-License-Identifier: BSD-3-Clause */
/* url.h - check and extend URLs with libcurl's own parser, so that the checks agree with libcurl */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

/*
 * Check the URL of an HTTP server. Returns 0 and fills *is_https; -EINVAL and why; or -EACCES and
 * why if the URL has a user or password. To show no password, the text in why repeats the URL only
 * if the URL has neither a scheme nor "@".
 */
int url_check(const char *url, bool *is_https, struct buf *why) MUST_CHECK;

/* Check the URL of a proxy; its scheme is optional. Returns the same values as url_check(). */
int url_check_proxy(const char *url, struct buf *why) MUST_CHECK;

/*
 * Append the URL with NAME=VALUE added to its query; if the query already has NAME, append the URL
 * unchanged. Adds no NUL. Returns the same values as url_check().
 */
int url_add_parameter(struct buf *b, const char *url, const char *name, const char *value,
		      struct buf *why) MUST_CHECK;

/* Append the query of a URL, without "?" and with a NUL at its end. Returns 0, or -EINVAL. */
int url_get_query(struct buf *b, const char *url) MUST_CHECK;

/*
 * Append the URL with its query replaced by `query` ("": no query), and a NUL. Returns 0, or
 * -EINVAL.
 */
int url_set_query(struct buf *b, const char *url, const char *query) MUST_CHECK;
