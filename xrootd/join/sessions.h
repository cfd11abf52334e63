/* SPDX-License-Identifier: BSD-3-Clause */
/* sessions.h - count the accesses of each login, from the login to the disconnect */
#pragma once

#include "xrootd/join/xrd_state.h"

/* A user's session, from login to disconnect, with the sums of its accesses so far. */
struct xrd_session {
	int64_t login_us;	/* arrival of the u record (login), in microseconds since 1970 */
	uint32_t accesses, incomplete;
	/* bytes of all accesses, as far as known */
	int64_t read, readv, write;
	/* the byte counts of all accesses are exact */
	bool read_is_exact, write_is_exact;
	bool ended;			/* the server has reported the disconnect */
	/*
	 * time window of the disconnect in the f-stream (begin and end, Unix times); 0: not
	 * received
	 */
	uint32_t end_window[2];
	/* .seconds is known, because the t-stream reported the disconnect */
	bool has_seconds;
	bool forced;	/* t-stream: XRootD's poller noticed the end of the connection first */
	uint32_t seconds;		/* t-stream: duration of the session in seconds */
};

/* A session that has ended, as reported to a listener. */
struct xrd_session_end {
	const struct xrd_server *server;	/* NULL if the server was forgotten meanwhile */
	const struct xrd_client *client;
	const struct xrd_session *session;
	enum xrd_end why;
	struct str client_name;			/* name of the client's host, or empty */
};

/* Begin a session when its u record arrives, if the listener wants sessions. */
void session_begin(struct xrd_join *j, struct xrd_client *c);
struct xrd_session *session_restore(struct xrd_join *j, struct xrd_client *c);

void session_add(struct xrd_join *j, const struct xrd_transfer *t);

/*
 * Handle a disconnect in the f-stream. The session is reported once none of its files is open or
 * waits for records.
 */
void session_end(struct xrd_join *j, struct xrd_client *c, const struct xrd_packet *p);
/*
 * Handle a disconnect in the t-stream. It ends a session only if the server sent no f-stream in the
 * 15 minutes after its first login, because an f-stream would still report closes of the session.
 */
void session_end_t(struct xrd_join *j, const struct xrd_record *r);
/* Report an ended session, unless one of its files is open or waits. c may be NULL. */
void session_settle(struct xrd_join *j, struct xrd_client *c);

/* Report the session of a client that is about to be forgotten, and free it. */
void session_forget(struct xrd_join *j, struct xrd_client *c, enum xrd_end why);
