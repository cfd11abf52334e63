/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdstream.h - the datagrams of XRootD's detailed monitoring <-> records */
#pragma once

#include "base/base.h"
#include "base/buf.h"
#include "formats/xrootd/xrdstream_records.h"

/*
 * Reads what stands before the records; the packet borrows from the datagram. 0, -EBADMSG for what
 * is cut off or no such datagram, -ENOMSG for summary data (XML or JSON), that share the port.
 */
int xrd_open(struct str datagram, struct xrd_packet *ret) MUST_CHECK;

/* 1 and the next record, 0 at the end, -EBADMSG where the rest of the datagram is damaged. */
int xrd_next(struct xrd_packet *p, struct xrd_record *ret) MUST_CHECK;

/*
 * The way back, binary only, into an empty b: what stands before the records, each record, and the
 * end, which fills in the length. xrd_end() is 0 or -EMSGSIZE.
 */
void xrd_begin(struct buf *b, const struct xrd_packet *p);
void xrd_put(struct buf *b, const struct xrd_packet *p, const struct xrd_record *r);
int xrd_end(struct buf *b, const struct xrd_packet *p) MUST_CHECK;

/* "v5.5.3" as a number that can be compared; 0: it is no such release. */
#define XRD_RELEASE(major, minor, patch) ((major) * 1000000u + (minor) * 1000u + (patch))
uint32_t xrd_release(struct str version);

const char *xrd_redirect_op(uint8_t op);	/* "openr"; NULL: no such */

/* "prot/user.pid:sid@host"; FRM's have no prot, some no pid: these are empty then. */
struct xrd_user {
	struct str protocol, name, pid, sid, host;
};
bool xrd_user_split(struct str userid, struct xrd_user *ret) MUST_CHECK;

/* A map record's text: the first line without "=/" before it, and the rest. */
void xrd_map_split(struct str text, struct str *userid, struct str *info);

/*
 * Takes "&key=value". Nothing in values is escaped: one ends where "&", up to eight letters and "="
 * follow. Text before the first "&" is skipped.
 */
bool xrd_take_pair(struct str *in, struct str *key, struct str *value);

/* The value of the last such key, or an empty one. */
struct str xrd_pair(struct str in, struct str key);
