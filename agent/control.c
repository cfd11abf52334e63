/* SPDX-License-Identifier: BSD-3-Clause */
/* control.c - the control socket: parse requests, ask the agent, explain results, listen */
#include "agent/control.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "schema/marks.h"

#define MARKED(id, name, what)   [CONTROL_##id] = name,
#define VERB(id, name, who, run) [CONTROL_##id] = name,
const char *const control_verb_names[CONTROL_VERBS] = {
#include "agent/verbs.inc"
};
#undef MARKED
#undef VERB

bool control_is_marked(enum control_verb verb, enum request_what *ret)
{
#define MARKED(id, name, what)   [CONTROL_##id] = { true, what },
#define VERB(id, name, who, run)
	static const struct { bool marked; enum request_what what; } table[CONTROL_VERBS] = {
#include "agent/verbs.inc"
	};
#undef MARKED
#undef VERB
	*ret = table[verb].what;
	return table[verb].marked;
}

int control_parse(struct str text, struct control_request *ret)
{
	struct control_request r;
	struct str verb;
	uint64_t expires;
	int v = 0;

	if (!str_take_word(&text, &verb) || !str_take_u64(&text, &expires) ||
	    expires > INT64_MAX || (text.n && *text.p != ' '))
		return -EBADMSG;
	while (v < CONTROL_VERBS && !str_eq(verb, str_of(control_verb_names[v])))
		v++;
	if (v == CONTROL_VERBS)
		return -EBADMSG;
	r.verb = (enum control_verb)v;
	r.expires_ms = (int64_t)expires;
	r.argument = str_trim(text);
	r.trusted = false;
	*ret = r;
	return 0;
}

/*
 * Messages for the errors of each verb; other errors get a general message. .done: the user's aim
 * is reached in spite of the error.
 */
static const struct explanation {
	enum control_verb verb;
	int e;
	bool done;
	const char *text;
} explanations[] = {
	{ CONTROL_MARK,    EINVAL, false,
	  "a mark cannot begin with \"begin\", \"end\" or \"counters_\": those are commands" },
	{ CONTROL_BEGIN,   EOVERFLOW, false,
	  "is not marked: too many jobs own this node; list them with \"nodometer status\", and "
	  "end those that are over with \"nodometer end\"" },
	{ CONTROL_SAMPLE,  EAGAIN, false,
	  "another user has just requested other types; try again" },
	{ CONTROL_SAMPLE,  EINVAL, false, "expected types that you may see, separated by commas" },
	{ CONTROL_FRESH,   ENOENT, false, "is not on this node" },
	{ CONTROL_FRESH,   EAGAIN, false,
	  "has no new sample: other users requested too many within an hour" },
	{ CONTROL_BEGIN,   EEXIST, true, "owns this node already; a sample was taken" },
	{ CONTROL_END,     ENOENT, true, "was not begun here; its end is marked" },
	{ CONTROL_END,     EALREADY, true, "has ended already; a sample was taken" },
	{ CONTROL_RELEASE, EALREADY, true, "has the hardware counters already" },
	{ CONTROL_YIELD,   EALREADY, true, "has the hardware counters already" },
	{ CONTROL_ACQUIRE, ENOENT, true, "no job had the hardware counters" },
	{ CONTROL_RELEASE, ENOENT, false,
	  "does not own this node: run \"nodometer begin\" first" },
	{ CONTROL_YIELD,   ENOENT, false,
	  "is your job, but was not begun on this node" },
	{ CONTROL_RELEASE, EBUSY, false,
	  "may lack some counters: a worker process hangs; try again" },
	{ CONTROL_YIELD,   EBUSY, false,
	  "may lack some counters: a worker process hangs; try again" },
	{ CONTROL_RELEASE, ETIMEDOUT, false,
	  "is not changed: another process holds the list of jobs; try again" },
	{ CONTROL_ACQUIRE, ETIMEDOUT, false,
	  "is not changed: another process holds the list of jobs; try again" },
	{ CONTROL_YIELD,   ETIMEDOUT, false,
	  "is not changed: another process holds the list of jobs; try again" },
	{ CONTROL_YIELD,   EPERM, false,
	  "refused: jobs may ask for the hardware counters only with "
	  "\"counters = release-on-job\" in nodometer.conf" },
	{ CONTROL_YIELD,   ESRCH, false,
	  "refused: cannot find out which job is yours: this process is in no job's control group, "
	  "and the node is not owned by exactly one job without a control group" },
	{ CONTROL_YIELD,   EAGAIN, false, "refused: too many requests within an hour" },
};

static const struct explanation *control_find_explanation(enum control_verb verb, int e)
{
	for (size_t i = 0; i < ARRAY_SIZE(explanations); i++)
		if (explanations[i].verb == verb && explanations[i].e == -e)
			return &explanations[i];
	return NULL;
}

static const char *control_general_text(int e)
{
	if (e == -EINVAL)
		return "invalid job id: use one word of at most 127 bytes, other than \"-\", "
		       "without commas, control characters or a leading \"%\"";
	if (e == -ENOBUFS)
		return "the archive cannot be written, and memory is full";
	return strerror(-e);
}

/*
 * Return the part of a request to quote in an error message: the job, or the text of a mark. The
 * types of a sample request are quoted only if the error is -EINVAL, which means that a type is
 * wrong.
 */
static struct str control_subject(enum control_verb verb, struct str argument, int e)
{
	struct str all = argument = mark_without_request(argument);
	if (verb == CONTROL_BEGIN || verb == CONTROL_END)
		/* the first word is the job; its attributes follow */
		str_take_word(&all, &argument);
	return verb == CONTROL_SAMPLE && e != -EINVAL ? STR("") : argument;
}

bool control_explain(struct buf *b, enum control_verb verb, struct str argument, int e)
{
	if (e == 0)
		return true;
	if (verb == CONTROL_SUMMARY)
		verb = CONTROL_END;
	const struct explanation *x = control_find_explanation(verb, e);
	argument = control_subject(verb, argument, e);
	if (argument.n && e != -EINVAL && verb != CONTROL_MARK)
		buf_add(b, STR("job "));
	if (argument.n)
		buf_addf(b, e == -EINVAL ? "\"" STR_FMT "\": " : STR_FMT " ", STR_ARG(argument));
	bool done = x && x->done;
	if (!x && e != -EINVAL)
		buf_add(b, argument.n ? STR("is not marked: ") : STR("no sample was taken: "));
	buf_add(b, str_of(x ? x->text : control_general_text(e)));
	return done;
}

static int control_make_address(const char *runtime_dir, bool reserved, struct sockaddr_un *a)
{
	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	int n = snprintf(a->sun_path, sizeof(a->sun_path), "%s/control%s", runtime_dir,
			 reserved ? ".reserved" : "");
	return n > 0 && (size_t)n < sizeof(a->sun_path) ? 0 : -ENAMETOOLONG;
}

static int control_wait_ready(int fd, short events, int64_t deadline_ms)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = events };
		int64_t left = deadline_ms - monotonic_ns() / 1000000;
		int r = poll(&p, 1, left > 0 ? (int)left : 0);
		if (r < 0 && errno == EINTR)
			continue;
		return r > 0 ? 0 : r < 0 ? -errno : -ETIMEDOUT;
	}
}

/*
 * Receive the reply. An agent that refuses a connection sends the reason and closes the connection
 * without reading the request. The kernel then reports ECONNRESET once, before the reply.
 */
static ssize_t control_receive(int fd, char *to)
{
	ssize_t n = recv(fd, to, CONTROL_REPLY_MAX, 0);
	return n < 0 && errno == ECONNRESET ? recv(fd, to, CONTROL_REPLY_MAX, 0) : n;
}

/*
 * Send a request and wait for the reply. If send(2) fails with EPIPE, still try to receive a reply:
 * an agent that refuses the connection sends the reason.
 */
static int control_exchange(int fd, struct str request, int64_t deadline_ms, struct buf *reply)
{
	if (send(fd, request.p, request.n, MSG_NOSIGNAL) < 0 && errno != EPIPE)
		return -errno;
	int r = control_wait_ready(fd, POLLIN, deadline_ms);
	if (r < 0)
		return r;

	buf_reserve(reply, CONTROL_REPLY_MAX);
	ssize_t n = control_receive(fd, reply->p);
	if (n <= 0)
		return n < 0 ? -errno : -ETIMEDOUT;
	reply->n = (size_t)n;
	return 0;
}

static int control_take_result(struct buf *reply)
{
	struct str text = buf_str(reply);
	bool ok = str_take_prefix(&text, STR("ok "));
	bool waits = !ok && str_take_prefix(&text, STR("waits "));
	if (!ok && !waits && !str_take_prefix(&text, STR("error ")))
		return -EBADMSG;
	memmove(reply->p, text.p, text.n);
	reply->n = text.n;
	return ok ? 0 : waits ? CONTROL_WAITS : -EREMOTEIO;
}

/*
 * Connect to the socket within timeout_ms. connect(2) fails with EAGAIN when SO_SNDTIMEO expires;
 * return -ETIMEDOUT then.
 */
static int control_connect_to(const char *runtime_dir, bool reserved, int timeout_ms)
{
	struct timeval limit = {	/* 1 us more, because 0 would mean no timeout */
		timeout_ms / 1000, timeout_ms % 1000 * 1000 + 1
	};
	struct sockaddr_un address;
	int r = control_make_address(runtime_dir, reserved, &address);
	if (r < 0)
		return r;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		r = errno == EAGAIN ? -ETIMEDOUT : -errno;
		close(fd);
		return r;
	}
	return fd;
}

int control_connect(const char *runtime_dir, int timeout_ms)
{
	int fd = control_connect_to(runtime_dir, true, timeout_ms);
	bool is_closed = fd == -ENOENT || fd == -ECONNREFUSED || fd == -EACCES ||
			 fd == -ENAMETOOLONG;
	return is_closed ? control_connect_to(runtime_dir, false, timeout_ms) : fd;
}

int control_ask_there(int fd, enum control_verb verb, struct str argument, int timeout_ms,
		      struct buf *reply)
{
	int64_t deadline = monotonic_ns() / 1000000 + timeout_ms;
	struct buf request CLEANUP(buf_free) = { 0 };

	buf_addf(&request, "%s %lld", control_verb_names[verb], (long long)deadline);
	if (argument.n)
		buf_addf(&request, " " STR_FMT, STR_ARG(argument));
	if (request.n > CONTROL_REQUEST_MAX)
		return -EMSGSIZE;
	int r = control_exchange(fd, buf_str(&request), deadline, reply);
	return r < 0 ? r : control_take_result(reply);
}

int control_ask(const char *runtime_dir, enum control_verb verb, struct str argument,
		int timeout_ms, struct buf *reply)
{
	int64_t until_ms = monotonic_ns() / 1000000 + timeout_ms;
	int fd CLEANUP(close_fd) = control_connect(runtime_dir, timeout_ms);
	if (fd < 0)
		return fd;
	timeout_ms = (int)(until_ms - monotonic_ns() / 1000000);
	return control_ask_there(fd, verb, argument, timeout_ms > 0 ? timeout_ms : 0, reply);
}

int control_listen(const char *runtime_dir, bool reserved)
{
	struct sockaddr_un address;
	int r = control_make_address(runtime_dir, reserved, &address);
	if (r < 0)
		return r;
	if (mkdir(runtime_dir, 0755) < 0 && errno != EEXIST)
		return -errno;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	unlink(address.sun_path);
	r = files_bind(fd, &address, reserved ? 0600 : 0666);
	if (r == 0 && listen(fd, CONTROL_BACKLOG) < 0)
		r = -errno;
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}
