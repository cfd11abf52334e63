/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdstream_records.h - the records in datagrams of XRootD's detailed monitoring */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"
#include "base/wire.h"

/*
 * Sources: XRootD's "System Monitoring Reference" of September 2018, part 3, and packets of xrootd
 * 5.5.3 if the reference is silent or wrong. Numbers are in network byte order. A datagram never
 * continues in the next datagram. Streams: f has opens, closes and byte counts of files; g has
 * events of plug-ins; r has redirections; t has all requests. The comments in enum xrd_kind list
 * the members of struct xrd_record that are set.
 */

/* bytes of the common header: code, sequence number, length, start time */
#define XRD_HEADER 8
#define XRD_MAX    65535	/* largest datagram; its length has 16 bits */

enum xrd_form {
	XRD_BINARY,
	XRD_JSON,	/* text of the g-stream: a header line in JSON, if any, and events */
	XRD_CGI,	/* as XRD_JSON, but the header line has the form a=b&c=d */
};

struct xrd_packet {
	char code;	/* map record: one of = d i p u x U T; stream: f r t g */
	enum xrd_form form;
	uint16_t seq;		/* sequence number, 0 to 255; in text 0 to 999 */
	/* Unix time of the server's start; identifies the server together with .sid */
	uint32_t start;
	/*
	 * .sid is known; it may be missing in map records without a valid userid, old f-streams,
	 * t-streams that do not begin with a window, and text of the g-stream
	 */
	bool has_sid;
	uint64_t sid;		/* server id, 48 bits */
	/* f- and g-stream: Unix times of the first and last record in the packet */
	uint32_t begin, end;
	/*
	 * f-stream: numbers of transfer records and of all records in the packet, as stated by the
	 * server
	 */
	uint16_t n_xfr, n_all;
	/* g-stream: letter of the plug-in: C cache, P third-party copies, T TCP, ... */
	char provider;
	/*
	 * g-stream text without header line (server option "nohdr"): only events, without sequence
	 * number, start, id and times
	 */
	bool is_headless;
	struct wire left;	/* bytes not read yet */
};

/* Kinds of records. The comments list the members of struct xrd_record that a record has. */
enum xrd_kind {
	XRD_MAP,	/* definition of a dictionary id: .id .text */
	/* file opened: .id .size; f-stream: .flags, with XRD_HAS_LFN also .user .text */
	XRD_OPEN,
	/*
	 * file closed: .id .read .write; f-stream: .flags .readv, by flags .ops .ssq; t-stream:
	 * .read_shift .write_shift
	 */
	XRD_CLOSE,
	XRD_XFR,	/* f-stream, bytes since the open: .id .read .readv .write */
	/* user disconnected: .id (may be 0 in the f-stream); t-stream: .seconds .flags */
	XRD_DISC,
	/* time window: .window_begin; f- and t-stream: .window_end .sid; r-stream: .seconds */
	XRD_WINDOW,
	XRD_IO,		/* t-stream, a read, or a write if .length < 0: .id .offset .length */
	/*
	 * t-stream, a vector read: .id .vector .segments .length; if .unpacked is set, an XRD_IO
	 * record for each segment follows
	 */
	XRD_READV,
	XRD_APPID,	/* t-stream, application id of a client: .text */
	XRD_REDIRECT,	/* r-stream, user redirected: .id .op .local .port .host .text */
	XRD_LINE,	/* g-stream, a line with an event, usually JSON: .text */
	XRD_UNKNOWN,	/* unknown type: .text has all bytes */
};

enum {	/* bits of .flags; the meaning depends on .kind and the stream */
	XRD_FORCED   = 0x01,	/* f-stream, CLOSE; t-stream, DISC: forced by a disconnect */
	XRD_HAS_OPS  = 0x02,	/* f-stream, CLOSE: the record has .ops */
	XRD_HAS_SSQ  = 0x04,	/* f-stream, CLOSE: the record has .ssq */
	XRD_HAS_LFN  = 0x01,	/* f-stream, OPEN: the record has .user and .text */
	XRD_HAS_RW   = 0x02,	/* f-stream, OPEN: also opened for writing */
	XRD_HAS_SID  = 0x01,	/* f-stream, WINDOW: the record has .sid */
	XRD_BOUND    = 0x02,	/* t-stream, DISC: secondary path of a connection */
};

/* Counts of requests, and their smallest and largest sizes in bytes; unknown if min > max. */
struct xrd_ops {
	int32_t read, readv, write;
	int16_t segments_min, segments_max;	/* segments of a readv request */
	int64_t segments;
	int32_t read_min, read_max, readv_min, readv_max, write_min, write_max;
};

/* Sums of squares of the sizes of requests, in bytes; .segments: of the numbers of segments. */
struct xrd_ssq {
	double read, readv, segments, write;
};

struct xrd_record {
	enum xrd_kind kind;
	uint8_t flags;
	uint32_t id;			/* dictionary id of a file or user */
	uint32_t user;			/* OPEN, f-stream: dictionary id of the user */
	int64_t size;			/* OPEN: size of the file, bytes */
	int64_t read, readv, write;	/* bytes; t-stream: .read includes vector reads */
	/* number of low bits of .read and .write that are unknown */
	uint8_t read_shift, write_shift;
	struct xrd_ops ops;
	struct xrd_ssq ssq;
	int64_t offset;
	int32_t length;
	uint16_t segments;
	uint8_t vector;			/* sequence number of a readv request, wraps */
	bool unpacked;
	/*
	 * WINDOW: Unix times of the window's start and end; in the t-stream, .window_end is the end
	 * of the previous window
	 */
	uint32_t window_begin, window_end;
	/* DISC: duration of the connection; WINDOW, r-stream: length of the window */
	uint32_t seconds;
	uint64_t sid;			/* WINDOW, f- and t-stream: server id */
	uint8_t op;			/* operation, see xrd_redirect_op() */
	bool local;			/* the redirection was made by xrootd, not by cmsd */
	uint16_t port;	/* .local set: port of the target; otherwise port of the redirector */
	struct str host, text;
	struct str rest;	/* f-stream: bytes that newer servers append to the record */
};
