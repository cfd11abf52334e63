/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdstream.h - read and write the datagrams of XRootD's detailed monitoring */
#pragma once

#include "base/base.h"
#include "base/buf.h"
#include "formats/xrootd/xrdstream_records.h"

/*
 * Read the header of a datagram. *ret borrows from the datagram. Returns 0; -EBADMSG if the header
 * is cut off or unknown; -ENOMSG for a summary packet (XML or JSON).
 */
int xrd_open(struct str datagram, struct xrd_packet *ret) MUST_CHECK;

/*
 * Read the next record, which borrows from the datagram. Returns 1; 0 at the end; or -EBADMSG if
 * the rest is damaged.
 */
int xrd_next(struct xrd_packet *p, struct xrd_record *ret) MUST_CHECK;

/* Write the header of a binary datagram into an empty b. */
void xrd_begin(struct buf *b, const struct xrd_packet *p);
/* Append a record to the datagram. */
void xrd_put(struct buf *b, const struct xrd_packet *p, const struct xrd_record *r);
/* Set the datagram's length. Returns 0, or -EMSGSIZE if the datagram is too large. */
int xrd_end(struct buf *b, const struct xrd_packet *p) MUST_CHECK;

/* Return a version such as "v5.5.3" as a number to compare, or 0 if it is not a release. */
#define XRD_RELEASE(major, minor, patch) ((major) * 1000000u + (minor) * 1000u + (patch))
uint32_t xrd_release(struct str version);

/* Return the name of an operation, such as "openr", or NULL. */
const char *xrd_redirect_op(uint8_t op);

/*
 * The parts of "prot/user.pid:sid@host". XRootD's file residency manager (FRM) sends no prot, and
 * some senders no pid; then these parts are empty. xrd_user_split() returns false if the sid is no
 * number or the host is missing.
 */
struct xrd_user {
	struct str protocol, name, pid, sid, host;
};
bool xrd_user_split(struct str userid, struct xrd_user *ret) MUST_CHECK;

/*
 * Split the text of a map record: *userid gets its first line, without "=/" at the start; *info
 * gets the rest.
 */
void xrd_map_split(struct str text, struct str *userid, struct str *info);

/*
 * Take the next pair "&key=value", and skip the text before it. Values are not escaped: a value
 * ends where "&", up to eight letters and "=" follow. Returns false if no pair is left.
 */
bool xrd_take_pair(struct str *in, struct str *key, struct str *value);

/* Return the value of the last pair with this key, or "". */
struct str xrd_pair(struct str in, struct str key);
