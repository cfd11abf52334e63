/* SPDX-License-Identifier: BSD-3-Clause */
/* control.h - the control socket: one request, one reply, text, over AF_UNIX SOCK_SEQPACKET */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "recorder/requests.h"

#define CONTROL_REQUEST_MAX 1024	/* bytes; a longer one is refused */
#define CONTROL_REPLY_MAX   65536
#define CONTROL_BACKLOG     1024	/* hooks that come at once */

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

/* Whether a verb is marked, and as which request. */
bool control_is_marked(enum control_verb verb, enum request_what *ret);

/* Whether it is about who has the hardware counters. */
static inline bool control_is_of_counters(enum control_verb verb)
{
	return verb == CONTROL_RELEASE || verb == CONTROL_ACQUIRE || verb == CONTROL_YIELD;
}

/* "VERB EXPIRES[ ARGUMENT]": who asks gives up when the monotonic clock shows EXPIRES ms. */
struct control_request {
	enum control_verb verb;
	int64_t expires_ms;
	struct str argument;
	bool trusted;		/* the peer may do everything: the agent finds that out */
};

/* 0 or -EBADMSG; *ret borrows from text. */
int control_parse(struct str text, struct control_request *ret) MUST_CHECK;

/*
 * Connects as who asks now, whoever that becomes, and waits for so long where many others do. A
 * descriptor, or -errno as control_ask().
 */
int control_connect(const char *runtime_dir, int timeout_ms) MUST_CHECK;

/*
 * Asks the agent. 0 and its reply after "ok "; CONTROL_WAITS and its reply after "waits ": it is
 * done, but not in the archive yet; -EREMOTEIO and its message after "error ";
 * -ENOENT or -ECONNREFUSED: no agent runs; -ETIMEDOUT: it does not answer; -EACCES.
 */
int control_ask(const char *runtime_dir, enum control_verb verb, struct str argument,
		int timeout_ms, struct buf *reply) MUST_CHECK;
/* The same where control_connect() has led to. */
int control_ask_there(int fd, enum control_verb verb, struct str argument, int timeout_ms,
		      struct buf *reply) MUST_CHECK;

/*
 * Adds the outcome of a request, for people, if there is something to say: e is what
 * recorder_begin(), _end() and so on returned. Whether the request is done.
 */
bool control_explain(struct buf *b, enum control_verb verb, struct str argument, int e);

/*
 * A listening socket: everybody may connect to RUNTIME-DIR/control, and the peer's credentials
 * decide. Root and the agent's user have one of their own besides, control.reserved, which others
 * cannot fill. fd or -errno.
 */
int control_listen(const char *runtime_dir, bool reserved) MUST_CHECK;
