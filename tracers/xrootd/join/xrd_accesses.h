/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_accesses.h - users, files and accesses as they are known at a moment */
#pragma once

#include "formats/xrootd/xrd_times.h"
#include "tracers/xrootd/join/xrd_servers.h"
#include "tracers/xrootd/join/xrd_table.h"

/* Why a file is no longer open for us. */
enum xrd_end {
	XRD_END_CLOSE,
	XRD_END_DISCONNECT,	/* the user has gone */
	XRD_END_RESTART,	/* the server was started again */
	XRD_END_IDLE,		/* nothing was heard of it for long */
	XRD_END_EVICTED,	/* there was no memory for it */
	XRD_END_STOP,		/* we end, or the input does */
	XRD_END_COPY,		/* a third-party copy by HTTP, which has neither open nor close */
};

enum xrd_protocol {
	XRD_BY_UNKNOWN,
	XRD_BY_XROOT,		/* or another that is neither of these */
	XRD_BY_HTTP,
	XRD_BY_FILE,
};

/* A login, as its map records u, i, U and T have it; empty texts where there was none. */
struct xrd_client {
	struct xrd_entry entry;
	bool known;		/* by an u record */
	uint8_t protocol;	/* enum xrd_protocol, of .login */
	uint32_t release;	/* of the client, by .login, 0: not known */
	uint64_t texts;		/* another number whenever one of these changes: */
	char *login;		/* "userid\n" and pairs */
	char *info;		/* i: from the application */
	char *flow;		/* U: pairs Ec, Ac */
	char *token;		/* T: pairs s, n, o, r, g */
	struct xrd_file *files;	/* open files */
};

/* A close, as large as all the rest of a file: kept from then until it is reported. */
struct xrd_close {
	struct xrd_record record;	/* without its texts */
	uint32_t window[2];		/* Unix times */
	char *peer;			/* URL of the other side of a copy by HTTP, or NULL */
};

/* A third-party copy by HTTP, as the server reports that made it. */
struct xrd_copy {
	uint32_t window[2];		/* Unix times of its end */
	uint64_t status;		/* 0: done, else as HTTP has it, or 1 */
	bool push;
	const char *peer;		/* URL of the other side */
};

struct xrd_file {
	struct xrd_entry entry;
	struct xrd_client *client;	/* or NULL */
	struct xrd_file *next, *prev;	/* of the client */
	struct xrd_file *later, *earlier;	/* of those that wait for what is missing */
	int64_t due;			/* .waiting: until then */
	char *path;			/* of the f-stream, or of the d record; or NULL */
	char *userid;			/* of the d record; NULL: see join_userid_of() */
	struct xrd_close *close;	/* NULL: not closed, or it has been reported */
	int64_t size;			/* .opened: so large it was */
	int64_t read, readv, write;	/* .moved: bytes so far */
	int64_t t_read, t_readv, t_written;	/* of the requests that the t-stream reported */
	uint32_t t_reads, t_readvs, t_segments, t_writes;	/* these requests, modulo 2^32 */
	int64_t copied;			/* bytes, by a third-party copy; 0: none, -1: no size */
	uint32_t lost_at_open;		/* datagrams of the server, modulo 2^32 */
	uint32_t open_window[2];	/* Unix times */
	uint8_t end;			/* enum xrd_end */
	bool opened : 1, for_write : 1, closed : 1, ended : 1, waiting : 1, moved : 1;
	bool t_opened : 1, t_closed : 1;
	bool named : 1;			/* a d record named it */
};

struct xrd_transfer {
	struct xrd_server *server;	/* NULL: forgotten since */
	const struct xrd_file *file;
	const struct xrd_client *client;	/* NULL: not known */
	const struct xrd_copy *copy;	/* of XRD_END_COPY, else NULL */
	const uint32_t *seen;	/* Unix times of the report of a file that is open; else NULL */
	struct str client_name;	/* of the address that the client has, where it was asked for */
	struct str user_json;	/* lines/user_text.h, or empty */
	const struct flow_match *flow;	/* join/flows.h; NULL: fireflies are not taken */
	bool untold;		/* counts, but is not written: a limit was reached */
};

struct xrd_event {
	struct xrd_server *server;
	const struct xrd_packet *packet;
	const struct xrd_record *record;
	const struct xrd_times *times;
	const struct xrd_file *file;		/* of .record->id, or NULL */
	const struct xrd_client *client;	/* or NULL */
	const struct xrd_file *beside;	/* APPID: of the next entry, see .client */
	struct str object;	/* g: the line as JSON, see xrd_gline.h, or empty */
	struct str who;		/* g: whom it names, or empty */
	bool escaped;		/* g: a text of .object was not UTF-8 */
	bool repeated;		/* t, of both buffers: it has been reported before */
	int64_t arrived;
};

struct xrd_listener {
	void (*transfer)(void *arg, const struct xrd_transfer *t);
	void (*event)(void *arg, const struct xrd_event *e);	/* NULL: none is wanted */
	void *arg;
	void (*login)(void *arg, struct str userid);	/* NULL: not wanted */
	void (*open)(void *arg, const struct xrd_transfer *t);	/* with .seen; or NULL */
};

struct xrd_join_counts {
	uint64_t datagrams, bad, summary;	/* bad: no datagram of this kind, or damaged */
	uint64_t unknown;			/* records */
	uint64_t evicted;			/* files and users, for want of memory */
	uint64_t untold;			/* transfers, see there */
	uint64_t transfers, incomplete;
};

/* Records that a transfer lacks: bits of enum xrd_missing. */
enum xrd_missing {
	XRD_NO_OPEN   = 1,
	XRD_NO_CLOSE  = 2,
	XRD_NO_USER   = 4,
	XRD_NO_PATH   = 8,
	XRD_NO_SERVER = 16,
	XRD_NO_BYTES  = 32,	/* a close without counts */
};
unsigned xrd_missing(const struct xrd_transfer *t);
