/* SPDX-License-Identifier: BSD-3-Clause */
/* control.h - the control socket: one request, one reply, text, over AF_UNIX SOCK_SEQPACKET */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define CONTROL_REQUEST_MAX 1024	/* bytes; a longer one is refused */
#define CONTROL_REPLY_MAX   65536

enum control_verb {
	CONTROL_BEGIN, CONTROL_END, CONTROL_MARK, CONTROL_COLLECT, CONTROL_ROTATE,
	CONTROL_STATUS, CONTROL_RELOAD,
	CONTROL_SUMMARY,	/* an end, answered by "SUMMARY[\nWHAT ELSE IS TO SAY]" */
	CONTROL_RELEASE, CONTROL_ACQUIRE, CONTROL_YIELD,
	CONTROL_VERBS,
};
extern const char *const control_verb_names[CONTROL_VERBS];

/* "VERB EXPIRES[ ARGUMENT]": who asks gives up when the monotonic clock shows EXPIRES ms. */
struct control_request {
	enum control_verb verb;
	int64_t expires_ms;
	struct str argument;
};

/* 0 or -EBADMSG; *ret borrows from text. */
int control_parse(struct str text, struct control_request *ret) MUST_CHECK;

/*
 * Asks the agent. 0 and its reply behind "ok "; -EREMOTEIO and its message behind "error ";
 * -ENOENT or -ECONNREFUSED: no agent runs; -ETIMEDOUT: it does not answer; -EACCES.
 */
int control_ask(const char *runtime_dir, enum control_verb verb, struct str argument,
		int timeout_ms, struct buf *reply) MUST_CHECK;

/*
 * What became of a request, for people: e is what recorder_begin(), _end() and so on returned.
 * Nothing is added where there is nothing to say. Whether the request is done.
 */
bool control_explain(struct buf *b, enum control_verb verb, struct str argument, int e);

/* The listening socket; everybody may connect, the peer's credentials decide. fd or -errno. */
int control_listen(const char *runtime_dir) MUST_CHECK;
