/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_put.h - append JSON members, and split the texts about a client into parts */
#pragma once

#include "base/buf.h"
#include "xrootd/join/xrd_accesses.h"

/* Append a member with this text, or null if the text is empty. */
void put_text(struct buf *b, const char *name, struct str s);
/* Append a member with this text, or nothing if the text is empty. */
void put_known(struct buf *b, const char *name, struct str s);

/*
 * Append the path of a file, which may be any bytes, or null if it is empty. If it is not UTF-8,
 * bytes outside ASCII, control characters, blanks and backslashes are escaped as \ooo (three octal
 * digits). Returns true if escaped.
 */
bool put_path(struct buf *b, const char *name, struct str path);
/* Append a value, or null if it is not known. */
void put_int(struct buf *b, const char *name, bool known, int64_t v);
void put_real(struct buf *b, const char *name, bool known, double v);
void put_bool(struct buf *b, const char *name, bool known, bool v);
/* Append a time such as "2026-11-20T22:07:28.195818Z". */
void put_time(struct buf *b, const char *name, int64_t usec);

/*
 * The texts about a client, split into parts: .user and .auth from the login (userid, pairs
 * KEY=VALUE), .flow, .token and .info from the U, T and i records. Borrowed from the client, or
 * from the file if the client has no login.
 */
struct xrd_who {
	struct xrd_user user;
	struct str auth, flow, token, info;
	const char *why;	/* reason why .flow, .token and .info are unknown, or NULL */
};
struct xrd_who xrd_who_of(const struct xrd_client *c, const struct xrd_file *f);
enum xrd_protocol xrd_who_protocol(const struct xrd_who *w);
/* Get the name in the certificate: the value of "m" up to "::", or else the authenticated name. */
struct str xrd_who_dn(const struct xrd_who *w);
struct str xrd_who_vo(const struct xrd_who *w);	/* get the organisation, such as "cms" */
