/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdstream.h - read and write the datagrams of XRootD's detailed monitoring */
#pragma once

#include "base/base.h"
#include "base/buf.h"
#include "formats/xrootd/xrdstream_records.h"

/*
 * Read the header. The packet borrows from the datagram. Returns 0; -EBADMSG if the datagram is cut
 * off or of an unknown kind; -ENOMSG for summary data (XML or JSON), which share the port.
 */
int xrd_open(struct str datagram, struct xrd_packet *ret) MUST_CHECK;

/*
 * Read the next record. Returns 1; 0 at the end; -EBADMSG if the rest of the datagram is damaged.
 */
int xrd_next(struct xrd_packet *p, struct xrd_record *ret) MUST_CHECK;

/*
 * Write a datagram, in binary form only, into an empty b: the header, each record, and the end,
 * which fills in the length. xrd_end() returns 0, or -EMSGSIZE if the datagram is too large.
 */
void xrd_begin(struct buf *b, const struct xrd_packet *p);
void xrd_put(struct buf *b, const struct xrd_packet *p, const struct xrd_record *r);
int xrd_end(struct buf *b, const struct xrd_packet *p) MUST_CHECK;

/* Return a version such as "v5.5.3" as a number that can be compared, or 0 if it is no release. */
#define XRD_RELEASE(major, minor, patch) ((major) * 1000000u + (minor) * 1000u + (patch))
uint32_t xrd_release(struct str version);

/* Return the operation, such as "openr", or NULL if it is unknown. */
const char *xrd_redirect_op(uint8_t op);

/*
 * The parts of "prot/user.pid:sid@host". FRM sends no prot, and some senders no pid; these parts
 * are empty then.
 */
struct xrd_user {
	struct str protocol, name, pid, sid, host;
};
bool xrd_user_split(struct str userid, struct xrd_user *ret) MUST_CHECK;

/* Split a map record's text into its first line, without a leading "=/", and the rest. */
void xrd_map_split(struct str text, struct str *userid, struct str *info);

/*
 * Take a pair "&key=value". Values are not escaped: a value ends at the next "&" that is followed
 * by up to eight letters and "=". Text before the first pair is skipped.
 */
bool xrd_take_pair(struct str *in, struct str *key, struct str *value);

/* Return the value of the last pair with this key, or an empty string. */
struct str xrd_pair(struct str in, struct str key);
