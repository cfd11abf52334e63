/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdstream_records.h - what the datagrams of XRootD's detailed monitoring hold */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"
#include "base/wire.h"

/*
 * "System Monitoring Reference" of September 2018, part 3, and where it is silent or mistaken what
 * xrootd 5.5.3 sends. Everything is in network order; a datagram is whole in itself.
 */

#define XRD_HEADER 8		/* bytes: code, sequence, length, start of the server */
#define XRD_MAX    65535	/* bytes of a datagram: its length has 16 bits, and no sign */

enum xrd_form {
	XRD_BINARY,
	XRD_JSON,	/* of the g-stream only: a line about the datagram, then lines */
	XRD_CGI,	/* as XRD_JSON, the first line in the form a=b&c=d */
};

struct xrd_packet {
	char code;		/* = d i p u x U T: a map record; f, r, t, g: a stream */
	enum xrd_form form;
	uint16_t seq;		/* 0 to 255, as text 0 to 999 */
	uint32_t start;		/* Unix time of the server's start: with .sid, who it is */
	bool has_sid;		/* not of old servers' f, nor of map records of another form */
	uint64_t sid;		/* 48 bits */
	uint32_t begin, end;	/* f, g: Unix times around all records */
	uint16_t n_xfr, n_all;	/* f: how many records the server says there are */
	char provider;		/* g: C cache, P third-party copies, T TCP, ... */
	struct wire left;	/* for xrd_next() */
};

enum xrd_kind {
	XRD_MAP,	/* .id .text */
	XRD_OPEN,	/* .id .size; f: .flags and with XRD_HAS_LFN .user .text */
	XRD_CLOSE,	/* .id .read .write; f: .flags .readv and what the flags say; t: shifts */
	XRD_XFR,	/* f: .id .read .readv .write, since the open */
	XRD_DISC,	/* .id of the user, may be 0 in f; t: .seconds .flags */
	XRD_WINDOW,	/* t: .window_end, .window_begin; r: .seconds .window_begin; f: all three */
	XRD_IO,		/* t: .id .offset .length, less than 0: written */
	XRD_READV,	/* t: .id .vector .segments .length; .unpacked: so many XRD_IO follow */
	XRD_APPID,	/* t: .text */
	XRD_REDIRECT,	/* r: .id of the user, .op .local .port .host .text */
	XRD_LINE,	/* g: .text, one event, mostly JSON */
	XRD_UNKNOWN,	/* .text: all bytes of a record of which nothing more is known */
};

enum {	/* .flags */
	XRD_FORCED   = 0x01,	/* CLOSE, DISC in t: by the end of the connection */
	XRD_HAS_OPS  = 0x02,	/* CLOSE in f */
	XRD_HAS_SSQ  = 0x04,	/* CLOSE in f */
	XRD_HAS_LFN  = 0x01,	/* OPEN in f */
	XRD_HAS_RW   = 0x02,	/* OPEN in f: for writing, too */
	XRD_HAS_SID  = 0x01,	/* WINDOW in f */
	XRD_BOUND    = 0x02,	/* DISC in t: of a further path of a connection */
};

/* Requests: their number, and the smallest and largest in bytes; min > max: not known. */
struct xrd_ops {
	int32_t read, readv, write;
	int16_t segments_min, segments_max;	/* of a readv */
	int64_t segments;
	int32_t read_min, read_max, readv_min, readv_max, write_min, write_max;
};

/* Sums of squares, of bytes, and for segments of their number. */
struct xrd_ssq {
	double read, readv, segments, write;
};

struct xrd_record {
	enum xrd_kind kind;
	uint8_t flags;
	uint32_t id;			/* the dictionary's number of the file or user */
	uint32_t user;
	int64_t size;
	int64_t read, readv, write;	/* bytes; in t .read is of both ways to read */
	uint8_t read_shift, write_shift;	/* so many low bits were not reported */
	struct xrd_ops ops;
	struct xrd_ssq ssq;
	int64_t offset;
	int32_t length;
	uint16_t segments;
	uint8_t vector;			/* counts the readv requests of a connection, wraps */
	bool unpacked;
	uint32_t window_begin, window_end;
	uint32_t seconds;		/* DISC: connected; WINDOW in r: its size */
	uint64_t sid;			/* WINDOW in t and f */
	uint8_t op;			/* xrd_redirect_op() */
	bool local;			/* by xrootd, not by cmsd */
	uint16_t port;			/* if not .local, the redirector's own */
	struct str host, text;
	struct str rest;		/* f: members that were added to the record since */
};
