/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_gline.h - parse lines of the g-stream: make valid JSON objects, and read the known kinds */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

/*
 * Return the subject of a provider's events, such as "cache" for 'C' or "tpc" for 'P'; NULL if the
 * provider is unknown.
 */
const char *xrd_g_type(char provider);

/* Tell if every line of the provider is an object, so that any other line is damaged. */
bool xrd_g_sends_objects(char provider);

/*
 * Append the object in a line as JSON that every parser accepts. XRootD does not escape the names
 * of files and users in events of 'C' and 'P' (XrdPfc, XrdOfsTPC), and the names may be any bytes.
 * In a text that is not UTF-8, blanks, backslashes and all bytes beyond ASCII become \ooo, and
 * *escaped is set. Returns false, and leaves b unchanged, if the line is no object.
 */
bool xrd_g_put_object(struct buf *b, char provider, struct str line, bool *escaped) MUST_CHECK;

/*
 * Infer the provider of an event from the keys of the event, such as "event". Call this if the
 * event came without a header. *ret is '\0' if the provider is unknown. Returns false if the line
 * is no event.
 */
bool xrd_g_infer_provider(struct str line, char *ret) MUST_CHECK;

/*
 * Append the client in an object of xrd_g_put_object(). Returns false if the object has no client.
 */
bool xrd_g_add_client(struct buf *b, char provider, struct str object);

/* Byte counts of the cache for one open of a file, reported when the file is closed. */
struct xrd_g_cache {
	uint64_t hit, miss, bypass;
	bool has_origin;		/* the two counters below are valid (since 5.7.2) */
	uint64_t to_disk, prefetch;
};
bool xrd_g_cache(struct str object, struct xrd_g_cache *ret) MUST_CHECK;

/* Parse a JSON number. Returns false if value is negative or no number. */
bool xrd_g_real(struct str value, double *ret) MUST_CHECK;

/* Kernel statistics of a connection (tcp_info), reported when the connection ends. */
struct xrd_g_tcp {
	uint64_t in, out;		/* bytes */
	uint64_t lost, retransmitted;	/* segments */
};
bool xrd_g_tcp(struct str object, struct xrd_g_tcp *ret) MUST_CHECK;

/* The result of a third-party copy. */
struct xrd_g_tpc {
	bool failed, push;
	bool http;			/* transfer by HTTP; false: by the XRootD protocol */
	uint64_t size;			/* size in bytes; 0: not known, which is common */
	uint64_t status;		/* reason of a failure; 0: not known */
	uint32_t begin, end;		/* Unix times; 0: not known */
};
bool xrd_g_tpc(struct str object, struct xrd_g_tpc *ret) MUST_CHECK;

/*
 * Append a side of the copy, "Src" or "Dst". xrd_g_add_side() appends the URL without its query,
 * which may contain secrets; xrd_g_add_side_path() appends the URL's path with a single leading
 * "/". Both return false if the object does not have the side.
 */
bool xrd_g_add_side(struct buf *b, struct str object, struct str side);
bool xrd_g_add_side_path(struct buf *b, struct str object, struct str side);
