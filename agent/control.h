/* SPDX-License-Identifier: BSD-3-Clause */
/* control.h - the control socket: one request and one reply as text, over AF_UNIX SOCK_SEQPACKET */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "recorder/requests.h"

#define CONTROL_REQUEST_MAX 1024	/* bytes; longer requests are refused */
#define CONTROL_REPLY_MAX   65536
/* connections that may be pending: many hooks may connect at once */
#define CONTROL_BACKLOG     1024

#define CONTROL_WAITS 1

enum control_verb {
#define MARKED(id, name, what)   CONTROL_##id,
#define VERB(id, name, who, run) CONTROL_##id,
#include "agent/verbs.inc"
#undef MARKED
#undef VERB
	CONTROL_VERBS,
};
extern const char *const control_verb_names[CONTROL_VERBS];

/* Return true if the verb makes a mark, and set *ret to the kind of request. */
bool control_is_marked(enum control_verb verb, enum request_what *ret);

/* Return true if the verb releases or acquires the hardware counters. */
static inline bool control_is_of_counters(enum control_verb verb)
{
	return verb == CONTROL_RELEASE || verb == CONTROL_ACQUIRE || verb == CONTROL_YIELD;
}

/*
 * A request "VERB EXPIRES[ ARGUMENT]". EXPIRES is the time on the monotonic clock, in ms, at which
 * the client gives up.
 */
struct control_request {
	enum control_verb verb;
	int64_t expires_ms;
	struct str argument;
	/* the peer may use all verbs; the agent sets this from the peer's credentials */
	bool trusted;
};

/* Parse a request. *ret borrows from text. Returns 0 or -EBADMSG. */
int control_parse(struct str text, struct control_request *ret) MUST_CHECK;

/*
 * Connect to the agent. The agent sees the credentials that the process has now, even if the
 * process changes them later. If many other clients connect at the same time, waits up to
 * timeout_ms. Returns the descriptor, or -errno as control_ask() does.
 */
int control_connect(const char *runtime_dir, int timeout_ms) MUST_CHECK;

/*
 * Send a request to the agent and wait for the reply. Returns 0 for the reply "ok TEXT";
 * CONTROL_WAITS for "waits TEXT", which means that the request is done but not in the archive yet;
 * or -EREMOTEIO for "error TEXT". In these cases, `reply` gets TEXT. Returns -ENOENT or
 * -ECONNREFUSED if no agent is running; -ETIMEDOUT if the agent does not answer; or -EACCES.
 */
int control_ask(const char *runtime_dir, enum control_verb verb, struct str argument,
		int timeout_ms, struct buf *reply) MUST_CHECK;
/* Do what control_ask() does, on a descriptor that control_connect() has returned. */
int control_ask_there(int fd, enum control_verb verb, struct str argument, int timeout_ms,
		      struct buf *reply) MUST_CHECK;

/*
 * Append the result of a request as a text for users; append nothing if the result needs no
 * explanation. `e` is the return value of recorder_begin(), recorder_end() and so on. Returns true
 * if the purpose of the request is achieved.
 */
bool control_explain(struct buf *b, enum control_verb verb, struct str argument, int e);

/*
 * Open a listening socket. Everybody may connect to RUNTIME-DIR/control, and the agent decides by
 * the peer's credentials what is allowed. With `reserved`, open control.reserved instead: only root
 * and the agent's user may connect to it, so that other users cannot fill its queue. Returns the
 * descriptor or -errno.
 */
int control_listen(const char *runtime_dir, bool reserved) MUST_CHECK;
