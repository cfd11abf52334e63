/* SPDX-License-Identifier: BSD-3-Clause */
/* control.h - the control socket: one request and one reply as text, over AF_UNIX SOCK_SEQPACKET */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include "base/buf.h"
#include "recorder/requests.h"

#define CONTROL_REQUEST_MAX 1024	/* bytes; longer requests are refused */
#define CONTROL_REPLY_MAX   65536	/* bytes; longer replies are cut */
/* connections that may be pending: many hooks may connect at once */
#define CONTROL_BACKLOG     1024

#define CONTROL_WAITS 1	/* result of control_ask(); see there */

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
 * A request "VERB EXPIRES[ ARGUMENT]". EXPIRES is the time at which the client gives up, in
 * milliseconds of CLOCK_MONOTONIC.
 */
struct control_request {
	enum control_verb verb;
	int64_t expires_ms;
	struct str argument;
	/* the credentials of the peer (the client's process) allow it to use all verbs */
	bool trusted;
};

/* Parse a request. *ret borrows from text. Returns 0 or -EBADMSG. */
int control_parse(struct str text, struct control_request *ret) MUST_CHECK;

/*
 * Connect to the agent. Waits up to timeout_ms if many other clients connect at the same time. The
 * agent sees the credentials that the process has now, even if they change later. Returns the
 * descriptor, or -errno as control_ask() does.
 */
int control_connect(const char *runtime_dir, int timeout_ms) MUST_CHECK;

/*
 * Send a request to the agent and wait for the reply, which is a word and a text. Stores the text
 * in `reply`. Returns 0 for the word "ok"; CONTROL_WAITS for "waits": the request was carried out,
 * but its record is not in the archive yet; -EREMOTEIO for "error"; -EBADMSG for any other word.
 * Without a reply, returns -ENOENT or -ECONNREFUSED if no agent is running; -ETIMEDOUT if the agent
 * does not answer; -EMSGSIZE if the request is too long; -EACCES or another -errno.
 */
int control_ask(const char *runtime_dir, enum control_verb verb, struct str argument,
		int timeout_ms, struct buf *reply) MUST_CHECK;
/* Return true if this error of control_ask() means that no agent is running. */
static inline bool control_has_no_agent(int e)
{
	return e == -ENOENT || e == -ECONNREFUSED;
}

/*
 * Like control_ask(), but over the connection fd of control_connect(). The agent answers only one
 * request per connection. The caller closes fd.
 */
int control_ask_there(int fd, enum control_verb verb, struct str argument, int timeout_ms,
		      struct buf *reply) MUST_CHECK;

/*
 * Append a message for users that explains the result of a request, unless `e` is 0. `e` is the
 * return value of recorder_begin(), recorder_end() and so on; 0 for REQUEST_LEFT. Returns true if
 * the user's aim is reached nevertheless, for example if a job to begin has already begun.
 */
bool control_explain(struct buf *b, enum control_verb verb, struct str argument, int e);

/*
 * Listen on RUNTIME-DIR/control, to which every user may connect; the agent checks the peer's
 * credentials. With `reserved`, listen on control.reserved instead, to which only root and the
 * agent's user may connect: other users cannot fill its queue. Creates a missing runtime directory,
 * and replaces an existing socket. Returns the descriptor or -errno.
 */
int control_listen(const char *runtime_dir, bool reserved) MUST_CHECK;
