/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_put.h - members of JSON objects, null where a value is not known, and whom they are about */
#pragma once

#include "base/buf.h"
#include "tracers/xrootd/join/xrd_accesses.h"

void put_text(struct buf *b, const char *name, struct str s);	/* empty: null */
void put_known(struct buf *b, const char *name, struct str s);	/* empty: left out */

/*
 * Names of files are any bytes. A name that is no UTF-8 is written with its bytes that are not
 * ASCII, blanks and backslashes as \ooo, three octal digits; true says so.
 */
bool put_path(struct buf *b, const char *name, struct str path);
void put_int(struct buf *b, const char *name, bool known, int64_t v);
void put_real(struct buf *b, const char *name, bool known, double v);
void put_bool(struct buf *b, const char *name, bool known, bool v);
void put_time(struct buf *b, const char *name, int64_t usec);	/* "2026-11-20T22:07:28.195818Z" */

/* The texts of a client, taken apart; borrowed from it, and from the file where it has none. */
struct xrd_who {
	struct xrd_user user;
	struct str auth, flow, token, info;
};
struct xrd_who xrd_who_of(const struct xrd_client *c, const struct xrd_file *f);
enum xrd_protocol xrd_who_protocol(const struct xrd_who *w);
struct str xrd_who_vo(const struct xrd_who *w);	/* the organisation: "cms" */
