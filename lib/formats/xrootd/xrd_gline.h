/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_gline.h - a line of the g-stream as an object of JSON, and what the known kinds of it say */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

/* "cache" of 'C', "tpc" of 'P', ...: what a provider's events are about; NULL: not known. */
const char *xrd_g_type(char provider);

/* Every line of the provider is an object: another one is damaged. */
bool xrd_g_sends_objects(char provider);

/*
 * Puts the object of a line after what is in b, such that every reader of JSON takes it: XRootD
 * does not escape the names of files and users in events of 'C' and 'P' (XrdPfc, XrdOfsTPC), and
 * they may be any bytes. A text that is not UTF-8 has its bytes that are not ASCII, blanks and
 * backslashes as \ooo, which *escaped says. False: the line is no such object, b is as before.
 */
bool xrd_g_put_object(struct buf *b, char provider, struct str line, bool *escaped) MUST_CHECK;

/* Adds the client that an object of xrd_g_put_object() names, after what is in b; false: none. */
bool xrd_g_add_client(struct buf *b, char provider, struct str object);

/* A file of the cache was closed: bytes of this opening of it. */
struct xrd_g_cache {
	uint64_t hit, miss, bypass;
	bool has_origin;		/* 5.7.2 and later: */
	uint64_t to_disk, prefetch;
};
bool xrd_g_cache(struct str object, struct xrd_g_cache *ret) MUST_CHECK;

/* A number of JSON as it stands there; false: it is none, or negative. */
bool xrd_g_real(struct str value, double *ret) MUST_CHECK;

/* A connection ended: of it, what the kernel knows (tcp_info). */
struct xrd_g_tcp {
	uint64_t in, out;		/* bytes */
	uint64_t lost, retransmitted;	/* segments */
};
bool xrd_g_tcp(struct str object, struct xrd_g_tcp *ret) MUST_CHECK;

/* A third-party copy ended. */
struct xrd_g_tpc {
	bool failed, push;
	bool http;			/* else by the protocol of XRootD */
	uint64_t size;			/* 0: mostly not known */
	uint64_t status;		/* .failed: why, 0: not known */
	uint32_t begin, end;		/* Unix times, 0: not known */
};
bool xrd_g_tpc(struct str object, struct xrd_g_tpc *ret) MUST_CHECK;

/*
 * Adds a side of the copy, "Src" or "Dst", after what is in b: its URL up to a "?", after which
 * there may be secrets, or the path in that, with one "/" before it. False: there is none.
 */
bool xrd_g_add_side(struct buf *b, struct str object, struct str side);
bool xrd_g_add_side_path(struct buf *b, struct str object, struct str side);
