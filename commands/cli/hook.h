/* SPDX-License-Identifier: BSD-3-Clause */
/* hook.h - ask the agent for the mark of a job; store the request if there is no reply in time */
#pragma once

#include "agent/control.h"
#include "cli/exit_status.h"

#define HOOK_TIMEOUT_US 2000000
#define HOOK_ATTRS_MAX  64

/* Options of a command that makes a mark. */
struct hook_request {
	bool strict;		/* begin and end: return failures as exit status */
	bool summary;		/* end: print the job summary */
	int64_t timeout_us;
	const char *attr[HOOK_ATTRS_MAX];	/* attributes of the mark, not parsed yet */
	size_t n_attrs;
};

struct hook {
	enum control_verb verb;
	/* --dir or --root selects another archive than the agent's; no request is stored then */
	bool elsewhere;
	const char *runtime_dir;
	int64_t start_us;	/* wall clock time at which this command started */
	int64_t start_ns;	/* monotonic time at which this command started */
	int64_t timeout_us;	/* timeout of the whole command */
	struct str text;	/* "JOB key=value ...", the last key being the request's identity */
};

/* Parse a timeout of 0.01 to 3600 seconds. Returns false if the text is invalid. */
bool hook_take_timeout(const char *text, int64_t *us);

/* Store an attribute. It is parsed only after the process has given up root. */
void hook_take_attribute(struct hook_request *q, const char *text);

/*
 * Set .start_us and .start_ns: to now or, if hook_take_over() accepted a word, to the times in it.
 */
void hook_start(struct hook *h);
#define HOOK_WORD_SIZE 64
/* Write a command-line word that passes .start_us and .start_ns through execve(2). */
void hook_hand_over(const struct hook *h, char word[HOOK_WORD_SIZE]);
/* Take the start times from a word of hook_hand_over(). Returns false for any other word. */
bool hook_take_over(const char *word);
/* Return whether hook_take_over() has accepted one of the command's words. */
bool hook_is_taken_over(void);

/*
 * Start the timeout. When the timeout has passed, or at SIGTERM, a signal handler stores the
 * request and exits. The exit status shows a failure only if may_fail is set.
 */
void hook_bound_time(const struct hook *h, bool may_fail);

/*
 * Append the job id or text of the mark, the valid attributes, and the identity of the request.
 * Thanks to this identity, the mark is written only once even if several processes try to write it.
 */
void hook_put_text(struct buf *b, const struct hook *h, const struct hook_request *q,
		   const char *text);

/*
 * Write to `kept` the request that the timeout's signal handler stores. `kept` must exist until the
 * process exits.
 */
void hook_make_ready(const struct hook *h, struct buf *kept);
/* Store the request in the runtime directory now. Returns false if this fails. */
bool hook_leave(void);
void hook_note_left(void);	/* notes that the caller has stored the request */
/*
 * Note that the command has finished, so that the signal handler of the timeout stores nothing.
 * Returns the exit status: `status`, but EXIT_DONE instead of EXIT_WAITS unless `strict` is set.
 */
int hook_finish(int status, bool strict);

/*
 * Return how long to wait for the agent, in ms: until 60 % of the command's timeout have passed, so
 * that enough time is left to write the mark without the agent.
 */
int hook_agents_ms(const struct hook *h);

/*
 * Send the request on a descriptor of control_connect(), and print the agent's reply. Returns the
 * exit status, or -errno if the agent did not answer.
 */
int hook_ask(const struct hook *h, int fd);
