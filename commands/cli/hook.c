/* SPDX-License-Identifier: BSD-3-Clause */
/* hook.c - ask the agent for the mark of a job; store the request if there is no reply in time */
#include "cli/hook.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "recorder/attributes.h"
#include "recorder/config.h"
#include "schema/marks.h"

#define GRACE_US 200000	/* extra time to complete the request if the deadline has passed */
#define LEAST_US 1000	/* shortest time for the timer; setitimer(2) with 0 would stop it */

/* data for the signal handler hook_on_late() */
static struct {
	int status;
	volatile sig_atomic_t status_left;
	/* the handler need not store the request: it is stored already, or the mark is written */
	volatile sig_atomic_t left;
	volatile sig_atomic_t ready;	/* the members that the signal handler reads are set */
	volatile sig_atomic_t waited;
	char runtime_dir[CONFIG_TEXT_MAX];
	char name[SPOOL_NAME_SIZE];
	struct str text;		/* request to store in the spool; empty if there is none */
	bool may_fail;
} late;

/* .start_us and .start_ns of struct hook as measured before execve(2), or 0 */
static struct {
	int64_t start_us, start_ns;
} before;

#define HANDED_OVER "--asked="

void hook_hand_over(const struct hook *h, char word[HOOK_WORD_SIZE])
{
	snprintf(word, HOOK_WORD_SIZE, HANDED_OVER "%lld.%lld", (long long)h->start_us,
		 (long long)h->start_ns);
}

bool hook_take_over(const char *word)
{
	struct str text = str_of(word);
	uint64_t start_us, start_ns;
	if (!str_take_prefix(&text, STR(HANDED_OVER)) || !str_take_u64(&text, &start_us) ||
	    !str_take_prefix(&text, STR(".")) || !str_take_u64(&text, &start_ns) || text.n ||
	    start_us > INT64_MAX || start_ns > (uint64_t)monotonic_ns())
		return false;
	before.start_us = (int64_t)start_us;
	before.start_ns = (int64_t)start_ns;
	return true;
}

bool hook_is_taken_over(void)
{
	return before.start_ns != 0;
}

void hook_start(struct hook *h)
{
	h->start_us = hook_is_taken_over() ? before.start_us : realtime_us();
	h->start_ns = hook_is_taken_over() ? before.start_ns : monotonic_ns();
}

bool hook_leave(void)
{
	struct spool s = { .dirfd = -1, .lockfd = -1 };
	return late.text.n && spool_open(&s, late.runtime_dir) == 0 &&
	       spool_leave_named(&s, late.name, late.text) == 0;
}

static void hook_wait_again(void)
{
	const struct itimerval grace = { .it_value = { 0, GRACE_US } };
	late.waited = 1;
	setitimer(ITIMER_REAL, &grace, NULL);
}

/*
 * Store the request and exit, so that the job goes on. Called by SIGTERM, or when the timeout has
 * passed, for example because a disk hangs. If the request is not complete at the timeout, grant
 * GRACE_US once.
 */
static void hook_on_late(int signal)
{
	static const char text[] = "nodometer: gave up: no answer in time\n";
	int saved = errno;
	if (!late.ready && !late.waited && signal == SIGALRM) {
		hook_wait_again();
		errno = saved;
		return;
	}
	bool left = late.left || (late.ready && hook_leave());
	int status = left ? late.status_left : late.status;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(status);
	_exit(status);
}

void hook_bound_time(const struct hook *h, bool may_fail)
{
	struct sigaction act = { .sa_handler = hook_on_late };
	int64_t us = h->timeout_us - (monotonic_ns() - h->start_ns) / 1000;
	if (us < LEAST_US)
		us = LEAST_US;
	struct itimerval t = { .it_value = { us / 1000000, us % 1000000 } };
	sigaddset(&act.sa_mask, SIGALRM);
	sigaddset(&act.sa_mask, SIGTERM);
	late.may_fail = may_fail;
	late.status = may_fail ? EXIT_FAILED : EXIT_DONE;
	late.status_left = may_fail ? EXIT_WAITS : EXIT_DONE;
	sigaction(SIGALRM, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

/*
 * The file of the request has the same name here as in alone_mark(), so that a request that both
 * functions store is a single file.
 */
void hook_make_ready(const struct hook *h, struct buf *kept)
{
	struct spool s = { .n = 0 };
	struct request q = { .text = h->text };
	if (!h->elsewhere && control_is_marked(h->verb, &q.what) && request_check(&q) == 0) {
		request_put(&q, kept);
		str_copy(late.runtime_dir, CONFIG_TEXT_MAX, str_of(h->runtime_dir));
		spool_name(&s, h->start_us, late.name);
	}
	late.text = kept->n <= SPOOL_MARK_MAX ? buf_str(kept) : STR("");
	late.ready = 1;
}

void hook_note_left(void)
{
	late.left = 1;
}

int hook_finish(int status, bool strict)
{
	if (status == EXIT_WAITS && !strict)
		status = EXIT_DONE;
	late.status_left = late.may_fail ? status : EXIT_DONE;
	late.left = 1;
	return status;
}

bool hook_take_timeout(const char *text, int64_t *us)
{
	struct str s = str_of(text);
	return str_take_time(&s, us) && s.n == 0 && *us >= 10000 && *us <= 3600000000;
}

void hook_take_attribute(struct hook_request *q, const char *text)
{
	if (q->n_attrs == HOOK_ATTRS_MAX)
		log_warning("--attr %s: ignored: more than %d attributes", text, HOOK_ATTRS_MAX);
	else
		q->attr[q->n_attrs++] = text;
}

/* Append KEY=VALUE. Report and leave out an attribute that is invalid or too long. */
static void hook_add_attribute(struct buf *b, const char *text)
{
	int e = attributes_add(b, str_of(text));
	if (e == -EINVAL)
		log_warning("--attr %s: ignored: expected KEY=VALUE, with a KEY of lowercase "
			    "letters, digits and _", text);
	else if (e < 0)
		log_warning("--attr %s: ignored: all attributes together have more than %d bytes",
			    text,
			    ATTRIBUTES_MAX);
}

static void hook_put_identity(struct buf *b, const struct hook *h)
{
	struct request q = { .text = buf_str(b) };
	if (!control_is_marked(h->verb, &q.what) || request_check(&q) < 0)
		return;
	buf_addf(b, " " MARK_REQUEST_KEY "%lld.%d", (long long)h->start_us, (int)getpid());
}

/*
 * Append no attributes to an invalid id: if the id contains a blank, its later words would be taken
 * for attributes, too.
 */
void hook_put_text(struct buf *b, const struct hook *h, const struct hook_request *q,
		   const char *text)
{
	struct buf attributes CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < q->n_attrs; i++)
		hook_add_attribute(&attributes, q->attr[i]);
	buf_add(b, str_of(text));
	if (job_id_valid(str_of(text)))
		buf_add(b, buf_str(&attributes));
	buf_add_char(b, '\0');
	b->n--;
	hook_put_identity(b, h);
}

/*
 * Print an agent's reply. If the job summary was requested, the reply begins with it, as a line.
 * Do not print the rest if it begins with a digit: it is the time of the last record group.
 */
static void hook_print_reply(enum control_verb verb, struct str reply)
{
	struct str line;
	if (verb == CONTROL_SUMMARY && str_take_line(&reply, &line))
		printf(STR_FMT "\n", STR_ARG(line));
	if (str_peek(reply) > '9')
		log_notice(STR_FMT, STR_ARG(reply));
}

int hook_agents_ms(const struct hook *h)
{
	int64_t left = h->start_ns / 1000000 + h->timeout_us * 6 / 10000 - monotonic_ns() / 1000000;
	return left > 0 ? (int)left : 0;
}

int hook_ask(const struct hook *h, int fd)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	int e = control_ask_there(fd, h->verb, h->text, hook_agents_ms(h), &reply);

	if (e >= 0) {
		hook_print_reply(h->verb, buf_str(&reply));
		return e == CONTROL_WAITS ? EXIT_WAITS : EXIT_DONE;
	}
	if (e != -EREMOTEIO)
		return e;
	log_error("the agent says: " STR_FMT, STR_ARG(buf_str(&reply)));
	return EXIT_FAILED;
}
