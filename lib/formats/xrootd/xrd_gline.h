/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xrd_gline.h - parse the lines of the g-stream: convert lines to valid JSON, and read known events
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

/* Return the name of a provider, such as "cache" for 'C' or "tpc" for 'P', or NULL. */
const char *xrd_g_type(char provider);

/* Return true if all lines of the provider are JSON objects. */
bool xrd_g_sends_objects(char provider);

/*
 * Append the JSON object in a line as valid JSON. Providers 'C' and 'P' (XrdPfc, XrdOfsTPC) do not
 * escape names of files and users, which may contain any bytes. If a string is not UTF-8, its
 * blanks, control characters, backslashes and bytes beyond ASCII become \ooo, and *escaped is set.
 * Returns false, and leaves b unchanged, if the line is not an object.
 */
bool xrd_g_put_object(struct buf *b, char provider, struct str line, bool *escaped) MUST_CHECK;

/*
 * Guess the provider of an event without a header line from the event's members. *ret is '\0' if
 * the provider is unknown. Returns false if the line is not an event.
 */
bool xrd_g_infer_provider(struct str line, char *ret) MUST_CHECK;

/*
 * Append the client's name from an object that xrd_g_put_object() wrote. Returns false if the
 * object has no client.
 */
bool xrd_g_add_client(struct buf *b, char provider, struct str object);

/*
 * Bytes that the cache delivered from one opening of a file to its close, when they are reported.
 */
struct xrd_g_cache {
	uint64_t hit, miss, bypass;
	bool has_origin;		/* .to_disk and .prefetch are valid (since XRootD 5.7.2) */
	uint64_t to_disk, prefetch;
};
bool xrd_g_cache(struct str object, struct xrd_g_cache *ret) MUST_CHECK;

/*
 * Parse a number. Returns false if value is not a number, negative, at least 2^63, or longer than
 * 39 characters.
 */
bool xrd_g_real(struct str value, double *ret) MUST_CHECK;

/* TCP statistics of a connection that has ended (tcp_info). */
struct xrd_g_tcp {
	uint64_t in, out;		/* bytes */
	uint64_t lost, retransmitted;	/* segments */
};
bool xrd_g_tcp(struct str object, struct xrd_g_tcp *ret) MUST_CHECK;

/* The result of a third-party copy. */
struct xrd_g_tpc {
	bool failed, push;
	bool http;			/* the copy used HTTP; false: the XRootD protocol */
	uint64_t size;			/* bytes; 0: unknown, which is common */
	uint64_t status;		/* error code of a failed copy; 0: unknown */
	uint32_t begin, end;		/* Unix times; 0: unknown */
};
bool xrd_g_tpc(struct str object, struct xrd_g_tpc *ret) MUST_CHECK;

/*
 * Append the URL of the source (side "Src") or destination (side "Dst") of a copy, without its
 * query, which may contain secrets. Returns false if the object has no such URL.
 */
bool xrd_g_add_side(struct buf *b, struct str object, struct str side);
/*
 * Append the path of the URL of one side of a transfer, with a single leading "/". Returns false if
 * there is no URL.
 */
bool xrd_g_add_side_path(struct buf *b, struct str object, struct str side);
