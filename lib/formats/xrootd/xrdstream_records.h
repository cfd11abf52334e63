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
 * datagram never continues in the next datagram. In the comments below, "f:", "g:", "r:" and "t:"
 * mean that only this stream has the members named after it.
 */

/* bytes of the common header: code, sequence, length, start of the server */
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
	/* .sid is known; not in old servers' f-stream, nor in map records of another form */
	bool has_sid;
	uint64_t sid;		/* server id, 48 bits */
	uint32_t begin, end;	/* f, g: Unix times of the first and last record */
	/* f: number of transfer records and of all records, from the server */
	uint16_t n_xfr, n_all;
	char provider;		/* g: plug-in: C cache, P third-party copies, T TCP, ... */
	/*
	 * g in text form with "nohdr": the datagram has only events, and no number, start, id or
	 * times
	 */
	bool is_headless;
	struct wire left;	/* rest of the datagram, for xrd_next() */
};

enum xrd_kind {
	XRD_MAP,	/* .id .text */
	XRD_OPEN,	/* .id .size; f: .flags, and with XRD_HAS_LFN .user .text */
	/*
	 * .id .read .write; f: .flags .readv and the parts that the flags announce; t: .read_shift
	 * .write_shift
	 */
	XRD_CLOSE,
	XRD_XFR,	/* f: .id .read .readv .write, totals since the open */
	XRD_DISC,	/* .id of the user, may be 0 in f; t: .seconds .flags */
	XRD_WINDOW,	/* t: .window_end .window_begin; r: .seconds .window_begin; f: all three */
	XRD_IO,		/* t: .id .offset .length; a negative length is a write */
	/* t: .id .vector .segments .length; .unpacked: an XRD_IO for each segment follows */
	XRD_READV,
	XRD_APPID,	/* t: .text */
	XRD_REDIRECT,	/* r: .id of the user, .op .local .port .host .text */
	XRD_LINE,	/* g: .text, one event, usually JSON */
	XRD_UNKNOWN,	/* .text: all bytes of a record of unknown type */
};

enum {	/* bits of .flags, by the record and the stream that have the bit */
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

/* Sums of the squares of the bytes of each request; .segments: of its number of segments. */
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
	uint8_t read_shift, write_shift;	/* number of low bits that were not reported */
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
	uint64_t sid;			/* WINDOW in t and f */
	uint8_t op;			/* operation, see xrd_redirect_op() */
	bool local;			/* redirected by xrootd, not by cmsd */
	uint16_t port;	/* port of the target; if not .local, the redirector's own port */
	struct str host, text;
	struct str rest;		/* f: members that newer servers append to the record */
};
