/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdstream_records.h - the records in datagrams of XRootD's detailed monitoring */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"
#include "base/wire.h"

/*
 * Sources: XRootD's "System Monitoring Reference" of September 2018, part 3, and the packets of
 * xrootd 5.5.3 if the reference is silent or wrong. All numbers are in network byte order. A
 * datagram never continues in the next datagram. In the comments below, "f:", "g:", "r:" or "t:"
 * means that only the f-, g-, r- or t-stream has the members listed after it.
 */

/*
 * bytes of the header that all datagrams have: code, sequence number, length, start of the server
 */
#define XRD_HEADER 8
#define XRD_MAX    65535	/* bytes of a datagram: its length field has 16 bits, unsigned */

enum xrd_form {
	XRD_BINARY,
	XRD_JSON,	/* g-stream as text: a line about the datagram, if any, and the events */
	XRD_CGI,	/* as XRD_JSON, but the first line has the form a=b&c=d */
};

struct xrd_packet {
	char code;	/* one of = d i p u x U T for a map record, or of f r t g for a stream */
	enum xrd_form form;
	uint16_t seq;		/* sequence number, 0 to 255; 0 to 999 in text form */
	/* Unix time of the server's start; with .sid, it identifies the server */
	uint32_t start;
	/*
	 * .sid is known. It is missing in the f-stream of old servers, and in map records without a
	 * valid userid.
	 */
	bool has_sid;
	uint64_t sid;		/* server id, 48 bits */
	uint32_t begin, end;	/* f, g: Unix times of the first and last record */
	/* f: numbers of transfer records and of all records, as the server states them */
	uint16_t n_xfr, n_all;
	char provider;		/* g: plug-in: C cache, P third-party copies, T TCP, ... */
	/*
	 * g in text form, if the server is configured with "nohdr": the datagram has only events,
	 * but no sequence number, start, id or times
	 */
	bool is_headless;
	struct wire left;	/* rest of the datagram, for xrd_next() */
};

enum xrd_kind {
	XRD_MAP,	/* members: .id .text */
	XRD_OPEN,	/* members: .id .size; f: .flags, and if XRD_HAS_LFN is set, .user .text */
	/*
	 * members: .id .read .write; f: .flags .readv and the parts that the flags announce; t:
	 * .read_shift .write_shift
	 */
	XRD_CLOSE,
	XRD_XFR,	/* members, f: .id .read .readv .write, which are totals since the open */
	XRD_DISC,	/* members: .id of the user, which may be 0 in f; t: .seconds .flags */
	/* members, t: .window_end .window_begin; r: .seconds .window_begin; f: all three */
	XRD_WINDOW,
	XRD_IO,		/* members, t: .id .offset .length; a negative .length is a write */
	/*
	 * members, t: .id .vector .segments .length; if .unpacked is set, an XRD_IO record for each
	 * segment follows
	 */
	XRD_READV,
	XRD_APPID,	/* member, t: .text */
	XRD_REDIRECT,	/* members, r: .id of the user, .op .local .port .host .text */
	XRD_LINE,	/* member, g: .text, one event, usually in JSON */
	XRD_UNKNOWN,	/* member: .text, all bytes of a record of unknown type */
};

enum {	/* bits of .flags; a bit has different meanings in different records and streams */
	XRD_FORCED   = 0x01,	/* CLOSE and DISC in the t-stream: forced by a disconnect */
	XRD_HAS_OPS  = 0x02,	/* CLOSE in the f-stream: has .ops */
	XRD_HAS_SSQ  = 0x04,	/* CLOSE in the f-stream: has .ssq */
	XRD_HAS_LFN  = 0x01,	/* OPEN in the f-stream: has .user and .text */
	XRD_HAS_RW   = 0x02,	/* OPEN in the f-stream: opened for writing, too */
	XRD_HAS_SID  = 0x01,	/* WINDOW in the f-stream: has .sid */
	XRD_BOUND    = 0x02,	/* DISC in the t-stream: a secondary path of a connection */
};

/*
 * Number of requests, and their smallest and largest size in bytes; if min > max, the sizes are not
 * known.
 */
struct xrd_ops {
	int32_t read, readv, write;
	int16_t segments_min, segments_max;	/* segments of one readv request */
	int64_t segments;
	int32_t read_min, read_max, readv_min, readv_max, write_min, write_max;
};

/*
 * For each kind of request, the sum of the squares of the requests' sizes in bytes. For .segments,
 * the squares of the numbers of segments.
 */
struct xrd_ssq {
	double read, readv, segments, write;
};

struct xrd_record {
	enum xrd_kind kind;
	uint8_t flags;
	uint32_t id;			/* dictionary id of the file or user */
	uint32_t user;
	int64_t size;
	int64_t read, readv, write;	/* bytes; in t, .read includes vector reads */
	/* number of low bits of .read and .write that the server did not report */
	uint8_t read_shift, write_shift;
	struct xrd_ops ops;
	struct xrd_ssq ssq;
	int64_t offset;
	int32_t length;
	uint16_t segments;
	uint8_t vector;			/* counter of a connection's readv requests, which wraps */
	bool unpacked;
	uint32_t window_begin, window_end;
	/* DISC: duration of the connection; WINDOW in r: length of the window */
	uint32_t seconds;
	uint64_t sid;			/* server id, in WINDOW records of t and f */
	uint8_t op;			/* operation, see xrd_redirect_op() */
	bool local;			/* redirected by xrootd, not by cmsd */
	uint16_t port;	/* port of the target; if not .local, the redirector's own port */
	struct str host, text;
	struct str rest;		/* f: members that newer servers append to the record */
};
