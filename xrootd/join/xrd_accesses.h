/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_accesses.h - users, files and accesses as they are known at a moment */
#pragma once

#include "formats/xrootd/xrd_times.h"
#include "xrootd/join/xrd_servers.h"
#include "xrootd/join/xrd_table.h"

/* Values of xrd_entry.kind */
enum entry_kind { CLIENT, FILE_ENTRY, LOGIN };

/* Reason why a file is no longer open. */
enum xrd_end {
	XRD_END_CLOSE,
	XRD_END_DISCONNECT,	/* the user disconnected */
	XRD_END_RESTART,	/* the server was restarted */
	XRD_END_IDLE,		/* no record arrived for XRD_IDLE */
	XRD_END_EVICTED,	/* memory was full */
	XRD_END_STOP,		/* the receiver stops, or its input ends */
	XRD_END_COPY,		/* third-party copy by HTTP, without open and close */
	XRD_END_REOPEN,		/* another access has the file's number; the close was lost */
};

enum xrd_protocol {
	XRD_BY_UNKNOWN,
	XRD_BY_XROOT,		/* any protocol but HTTP and "file" */
	XRD_BY_HTTP,
	XRD_BY_FILE,
};

/* A login with the texts of its map records u, i, U and T. Texts without a record are NULL. */
struct xrd_client {
	struct xrd_entry entry;
	bool known;		/* a u record arrived */
	uint8_t protocol;	/* enum xrd_protocol, from login */
	uint32_t release;	/* client's release, from login; 0 if unknown */
	uint64_t texts;		/* unique number, new whenever a text changes */
	char *login;		/* u: userid, newline, pairs */
	struct xrd_facts *facts;	/* texts of i, U and T, see facts.h; NULL: none */
	struct xrd_file *files;	/* list of the client's files */
	struct xrd_session *session;	/* NULL: none, or reported, see sessions.h */
};

/*
 * A close record, kept until the file is reported. Allocated apart, because it is as large as the
 * rest of a file.
 */
struct xrd_close {
	struct xrd_record record;	/* without its texts */
	uint32_t window[2];		/* window of the record, Unix times */
	char *peer;			/* URL of the other side of an HTTP copy, or NULL */
};

/* A third-party copy by HTTP, as reported by the server that made it. */
struct xrd_copy {
	uint32_t window[2];		/* window of its end, Unix times */
	uint64_t status;		/* 0 on success, else HTTP status, or 1 if unknown */
	bool push;
	const char *peer;		/* URL of the other side */
};

struct xrd_file {
	struct xrd_entry entry;
	struct xrd_client *client;	/* NULL if unknown */
	struct xrd_file *next, *prev;	/* list of the client's files */
	struct xrd_file *later, *earlier;	/* list of files that wait, ordered by due */
	int64_t due;			/* end of the wait, if waiting */
	char *path;			/* from the f-stream or the d record, or NULL */
	char *userid;			/* from the d record; NULL: see join_userid_of() */
	struct xrd_close *close;	/* NULL if not closed, or already reported */
	int64_t size;			/* size at the open, if opened */
	int64_t read, readv, write;	/* bytes in the last report, if moved */
	int64_t t_read, t_readv, t_written;	/* bytes of requests in the t-stream */
	/* requests in the t-stream, modulo 2^32 */
	uint32_t t_reads, t_readvs, t_segments, t_writes;
	int64_t copied;			/* size of a third-party copy; 0: no copy, -1: unknown */
	uint32_t lost_at_open;		/* server's lost datagrams at the open, modulo 2^32 */
	uint32_t open_window[2];	/* window of the open, Unix times */
	uint8_t end;			/* enum xrd_end */
	uint8_t facts;			/* client's facts at the open, see facts.h */
	bool opened : 1, for_write : 1, closed : 1, ended : 1, waiting : 1, moved : 1;
	bool t_opened : 1, t_closed : 1;
	bool named : 1;			/* a d record gave the userid */
};

struct xrd_transfer {
	struct xrd_server *server;	/* NULL if forgotten since */
	const struct xrd_file *file;
	const struct xrd_client *client;	/* NULL if unknown */
	const struct xrd_copy *copy;	/* for XRD_END_COPY, else NULL */
	const uint32_t *seen;	/* window of a report about an open file, Unix times; else NULL */
	struct str client_name;	/* name of the client's host, empty if not looked up */
	struct str user_json;	/* see lines/user_text.h, may be empty */
	const struct flow_match *flow;	/* NULL without --fireflies, see join/flows.h */
	bool unwritten;		/* counted, but not written because a limit was reached */
};

struct xrd_event {
	struct xrd_server *server;
	const struct xrd_packet *packet;
	const struct xrd_record *record;
	const struct xrd_times *times;
	const struct xrd_file *file;		/* file of record->id, or NULL */
	const struct xrd_client *client;	/* NULL if unknown */
	/* APPID: file of the next entry, source of client */
	const struct xrd_file *next_file;
	struct str object;	/* g-stream: line as JSON, see xrd_gline.h, or empty */
	struct str who;		/* g-stream: user that the line names, or empty */
	bool escaped;		/* g-stream: a text of object was not UTF-8 */
	bool repeated;		/* t-stream: reported before, in the server's other buffer */
	int64_t arrived;
};

struct xrd_session_end;
struct xrd_listener {
	void (*transfer)(void *arg, const struct xrd_transfer *t);
	void (*event)(void *arg, const struct xrd_event *e);	/* NULL if not wanted */
	void *arg;
	void (*login)(void *arg, struct str userid);	/* NULL if not wanted */
	/* report of an open file, with seen set; NULL if not wanted */
	void (*open)(void *arg, const struct xrd_transfer *t);
	/* end of a session, see sessions.h; NULL if not wanted */
	void (*session)(void *arg, const struct xrd_session_end *e);
};

struct xrd_join_counts {
	uint64_t datagrams, bad, summary;	/* bad: damaged, or not a monitoring datagram */
	uint64_t unknown;			/* unknown records */
	uint64_t evicted;			/* files and users evicted for lack of memory */
	uint64_t unwritten;			/* transfers not written, see struct xrd_transfer */
	uint64_t transfers, incomplete;
};

/* Records that an access lacks, as bits. */
enum xrd_missing {
	XRD_NO_OPEN   = 1,
	XRD_NO_CLOSE  = 2,
	XRD_NO_USER   = 4,
	XRD_NO_PATH   = 8,
	XRD_NO_SERVER = 16,
	XRD_NO_BYTES  = 32,	/* close without byte counts */
};
unsigned xrd_missing(const struct xrd_transfer *t);
