/* SPDX-License-Identifier: BSD-3-Clause */
/* hook.h - ask the agent for a mark, and store the request if time runs out */
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
	/* --dir or --root names another archive; then no request is stored */
	bool elsewhere;
	const char *runtime_dir;
	int64_t start_us;	/* wall clock time at which this command started */
	int64_t start_ns;	/* monotonic time at which this command started */
	int64_t timeout_us;	/* timeout of the whole command */
	struct str text;	/* "JOB key=value ..." with the identity of the request */
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
/* Write a word that passes the times of the hook through execve(2). */
void hook_hand_over(const struct hook *h, char word[HOOK_WORD_SIZE]);
/* Take the times from a word of hook_hand_over(). Returns false for any other word. */
bool hook_take_over(const char *word);
/* Return whether hook_take_over() has accepted one of the command's words. */
bool hook_is_taken_over(void);

/*
 * Start the timeout. When the time is over, or at SIGTERM, the process stores its request and
 * exits. The exit status shows a failure only if may_fail is set.
 */
void hook_bound_time(const struct hook *h, bool may_fail);

/*
 * Append the job id or text of the mark, the valid attributes, and the identity of the request, by
 * which the mark is made only once, even if several processes try to make it.
 */
void hook_put_text(struct buf *b, const struct hook *h, const struct hook_request *q,
		   const char *text);

/* Write the data that the signal handler stores to `kept`, which must outlive the timeout. */
void hook_make_ready(const struct hook *h, struct buf *kept);
/* Store the request in the runtime directory now. Returns false if this fails. */
bool hook_leave(void);
void hook_note_left(void);	/* remembers that the request is stored in the runtime directory */
/*
 * Tell the signal handler that the work is done. Returns the exit status: `status`, but EXIT_DONE
 * instead of EXIT_WAITS unless `strict` is set.
 */
int hook_finish(int status, bool strict);

/*
 * Return how long to wait for the agent, in ms: until 60 % of the timeout are over, so that enough
 * time is left to make the mark without the agent.
 */
int hook_agents_ms(const struct hook *h);

/*
 * Send the request on a descriptor of control_connect(), and print the agent's reply. Returns the
 * exit status, or -errno if the agent did not answer.
 */
int hook_ask(const struct hook *h, int fd);
