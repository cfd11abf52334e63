/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_accesses.h - users, files, and accesses to files, as known from records, see xrd_join.h */
#pragma once

#include "formats/xrootd/xrd_times.h"
#include "xrootd/join/xrd_servers.h"
#include "xrootd/join/xrd_table.h"

/* Values of xrd_entry.kind */
enum entry_kind { CLIENT, FILE_ENTRY, LOGIN };

/* Reason why an access to a file ended. */
enum xrd_end {
	XRD_END_CLOSE,
	XRD_END_DISCONNECT,	/* the user disconnected */
	XRD_END_RESTART,	/* the server was restarted */
	XRD_END_IDLE,		/* no record arrived for XRD_IDLE */
	XRD_END_EVICTED,	/* memory was full */
	XRD_END_STOP,		/* the receiver stops, or its input ends */
	XRD_END_COPY,		/* third-party copy by HTTP, without open and close */
	/* the file's number was used again: the close was lost */
	XRD_END_REOPEN,
};

enum xrd_protocol {
	XRD_BY_UNKNOWN,
	XRD_BY_XROOT,		/* any protocol but HTTP and "file" */
	XRD_BY_HTTP,
	XRD_BY_FILE,
};

/* A user's login, with the texts of its map records. A text is NULL if no record arrived. */
struct xrd_client {
	struct xrd_entry entry;
	bool known;		/* the u record (login) arrived */
	uint8_t protocol;	/* a value of enum xrd_protocol, from the login */
	uint32_t release;	/* release of the client, from the login; 0: unknown */
	/* number of this version of the client's texts, unique among all clients */
	uint64_t texts;
	char *login;		/* text of the u record: userid, newline, pairs KEY=VALUE */
	/* application, flow and token (records i, U, T), see facts.h */
	struct xrd_facts *facts;
	struct xrd_file *files;	/* first of the client's files */
	/* NULL if there is no session, or it was already reported; see sessions.h */
	struct xrd_session *session;
};

/*
 * A close record, kept until the file is reported. Allocated separately, because it is as large as
 * the rest of struct xrd_file.
 */
struct xrd_close {
	struct xrd_record record;	/* the record without its texts */
	uint32_t window[2];		/* time window of the record: begin and end, Unix times */
	char *peer;			/* URL of the other side of an HTTP copy, or NULL */
};

/* A third-party copy by HTTP, as reported by the server that made it. */
struct xrd_copy {
	uint32_t window[2];	/* time window of the copy's end: begin and end, Unix times */
	/* 0: success, or unknown; otherwise the HTTP status, or 1 if there is none */
	uint64_t status;
	bool push;
	const char *peer;		/* URL of the other side */
};

struct xrd_file {
	struct xrd_entry entry;
	struct xrd_client *client;	/* NULL if unknown */
	struct xrd_file *next, *prev;	/* neighbours in the list of the client's files */
	/* neighbours in the list of files that wait for records, ordered by .due */
	struct xrd_file *later, *earlier;
	int64_t due;	/* when the file stops waiting for records, in microseconds */
	char *path;			/* path from the f-stream or the d record, or NULL */
	char *userid;			/* userid from the d record; NULL: see join_userid_of() */
	struct xrd_close *close;	/* NULL if not closed, or already reported */
	int64_t size;	/* size of the file at the open, in bytes; only if .opened */
	int64_t read, readv, write;	/* bytes in the last progress report; only if .moved */
	int64_t t_read, t_readv, t_written;	/* bytes of requests in the t-stream */
	/* requests in the t-stream, modulo 2^32 */
	uint32_t t_reads, t_readvs, t_segments, t_writes;
	/* size of the third-party copy that wrote the file; 0: no copy, -1: size unknown */
	int64_t copied;
	/* number of the server's lost datagrams at the open, modulo 2^32 */
	uint32_t lost_at_open;
	uint32_t open_window[2];	/* time window of the open: begin and end, Unix times */
	uint8_t end;			/* why the file ended: a value of enum xrd_end */
	uint8_t facts;			/* version of the client's info at the open, see facts.h */
	/*
	 * .opened, .closed: the f-stream reported the open or close; .ended: the access has ended;
	 * .waiting: the file waits for records; .moved: a progress report arrived; .t_opened,
	 * .t_closed: the t-stream reported the open or close
	 */
	bool opened : 1, for_write : 1, closed : 1, ended : 1, waiting : 1, moved : 1;
	bool t_opened : 1, t_closed : 1;
	bool named : 1;			/* a d record gave the userid */
};

struct xrd_transfer {
	struct xrd_server *server;	/* NULL if the server was forgotten meanwhile */
	const struct xrd_file *file;
	const struct xrd_client *client;	/* NULL if unknown */
	const struct xrd_copy *copy;	/* the copy, for XRD_END_COPY; otherwise NULL */
	/* time window of a report about an open file, Unix times; otherwise NULL */
	const uint32_t *seen;
	struct str client_name;	/* name of the client's host, empty if not looked up */
	struct str user_json;	/* JSON members about the user, or empty; see lines/user_text.h */
	const struct flow_match *flow;	/* TCP connection; NULL without --fireflies */
	/* no line is written about the access, because a limit was reached */
	bool unwritten;
};

struct xrd_event {
	struct xrd_server *server;
	const struct xrd_packet *packet;
	const struct xrd_record *record;
	const struct xrd_times *times;
	const struct xrd_file *file;		/* file that the record is about, or NULL */
	const struct xrd_client *client;	/* NULL if unknown */
	/* for an APPID marker: file of the next entry in the datagram, whose client is .client */
	const struct xrd_file *next_file;
	struct str object;	/* g-stream: JSON object of the line, or empty; see xrd_gline.h */
	struct str who;		/* g-stream: userid in the line, or empty */
	bool escaped;		/* g-stream: bytes in .object that are not UTF-8 were escaped */
	/* t-stream: the server sent this record before, in another datagram */
	bool repeated;
	int64_t arrived;
};

struct xrd_session_end;
/* Callbacks. Their arguments are valid only during the call. */
struct xrd_listener {
	/* called for each access that has ended; or NULL */
	void (*transfer)(void *arg, const struct xrd_transfer *t);
	/* called for each record; or NULL */
	void (*event)(void *arg, const struct xrd_event *e);
	void *arg;
	void (*login)(void *arg, struct str userid);	/* called for each login; or NULL */
	/* called for each report of an open file, with .seen set; or NULL */
	void (*open)(void *arg, const struct xrd_transfer *t);
	/* called at the end of each session, see sessions.h; or NULL */
	void (*session)(void *arg, const struct xrd_session_end *e);
};

struct xrd_join_counts {
	/* .bad: damaged datagrams, or not XRootD monitoring; .summary: summary packets */
	uint64_t datagrams, bad, summary;
	uint64_t unknown;			/* records of unknown kinds */
	uint64_t evicted;			/* files and users evicted for lack of memory */
	uint64_t unwritten;			/* transfers not written, see struct xrd_transfer */
	uint64_t transfers, incomplete;
};

/* Bits for records that are missing for an access. */
enum xrd_missing {
	XRD_NO_OPEN   = 1,
	XRD_NO_CLOSE  = 2,
	XRD_NO_USER   = 4,
	XRD_NO_PATH   = 8,
	XRD_NO_SERVER = 16,
	XRD_NO_BYTES  = 32,	/* close without byte counts */
};
unsigned xrd_missing(const struct xrd_transfer *t);
