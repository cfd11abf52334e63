/* SPDX-License-Identifier: BSD-3-Clause */
/* server.c - the agent's side of the control socket */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "agent/confinement.h"
#include "agent/control.h"
#include "agent/daemon.h"
#include "agent/guests.h"
#include "agent/peer_job.h"
#include "agent/refusals.h"
#include "agent/sample_now.h"
#include "agent/status_reply.h"
#include "agent/trusted.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"
#include "recorder/requests.h"

#define HOUR_NS   3600000000000
#define TOGETHER_NS 50000000	/* so long the first one waits for others to ask */
#define ACCEPTS_MAX 64	/* at a time: then others have their turn */
#define ASKED_MAX 100	/* requests for counters in an hour, of users who may not do more */

#define PEERS_MAX 1024	/* connections to the control socket at a time, and of guests: */
#define OPEN_OF_USER 16
#define OPEN_OF_ALL  256

enum { LISTEN_ALL, LISTEN_RESERVED, LISTENS };	/* see control.h */

struct server {
	struct {
		int fd;			/* -1: none */
		sd_event_source *source;
	} listen[LISTENS];
	struct peer {
		int fd;			/* 0: none */
		struct ucred cred;
		bool guest;		/* no name in "users" is its own: see guests_admit() */
		sd_event_source *source;
		char *asks;		/* a request to be marked together with others, or NULL */
	} peer[PEERS_MAX];
	size_t next_peer;
	sd_event_source *together;	/* when all who ask have been heard */
	int64_t first_ns;		/* monotonic, of the first of them; 0: nobody waits */
	struct guests *guests;
	sd_event_source *pause;		/* until then no guest is let in */
	int64_t hour_ns;		/* monotonic, since when so many asked for counters, */
	unsigned asked;			/* of users who may not do more */
};

/* Each costs a record group: no user fills the archive so. */
static bool is_too_often(struct server *s)
{
	int64_t now = monotonic_ns();
	if (s->asked == 0 || now - s->hour_ns >= HOUR_NS) {
		s->hour_ns = now;
		s->asked = 0;
	}
	return ++s->asked > ASKED_MAX;
}

/* Of its own job, where the configuration lets it, a process may yield and acquire counters. */
static int use_own_job(struct daemon *d, const struct ucred *peer, struct control_request *q,
		       char *id, size_t size)
{
	if (!d->config.counters_yield)
		return -EPERM;
	int e = peer_job(&d->recorder, peer, id, size);
	if (e == -ESRCH)
		return e;
	if (q->argument.n && !str_eq(q->argument, str_of(id)))
		return -EACCES;
	q->argument = str_of(id);
	return e < 0 ? e : is_too_often(d->server) ? -EAGAIN : 0;
}

static int run_collect(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)q;
	(void)note;
	return recorder_sample(&d->recorder, 0);
}

static int run_rotate(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)q;
	(void)note;
	int e = recorder_rotate(&d->recorder);
	daemon_tidy(d, true);
	return e;
}

/* When this one is answered. */
static int run_reload(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)d;
	(void)q;
	(void)note;
	return raise(SIGHUP) == 0 ? 0 : -EIO;
}

static int run_status(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)q;
	recorder_settle(&d->recorder);
	status_put(note, &d->recorder, ticker_live(d), d->since_us);
	status_put_refused(note, buf_str(&d->refused));
	refusals_put(d->refusals, note);
	confinement_put(d->confinement, note);
	return 0;
}

static int run_sample(struct daemon *d, const struct control_request *q, struct buf *note)
{
	return sample_now(d->sample, &d->recorder, q, note);
}

static int run_release(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)note;
	return recorder_release(&d->recorder, q->argument);
}

static int run_acquire(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)note;
	return recorder_acquire(&d->recorder, q->argument);
}

/* JOB: a process of a job, for its own job. */
enum who { TRUSTED, EVERYBODY, TRUSTED_OR_JOB, JOB };

#define MARKED(id, name, what)       [CONTROL_##id] = { TRUSTED, NULL },
#define VERB(id, name, who, run)     [CONTROL_##id] = { who, run },
static const struct verb {
	enum who who;
	int (*run)(struct daemon *d, const struct control_request *q, struct buf *note);
} verbs[CONTROL_VERBS] = {
#include "agent/verbs.inc"
};
#undef MARKED
#undef VERB

/* 0, or why it is refused. */
static int authorise(struct daemon *d, const struct peer *p, struct control_request *q, char *id,
		     size_t size)
{
	enum who who = verbs[q->verb].who;
	bool trusted = q->trusted = trusted_has(d->trusted, &p->cred, p->fd);
	if (who == JOB)
		return use_own_job(d, &p->cred, q, id, size);
	if (trusted || who == EVERYBODY)
		return 0;
	return who == TRUSTED_OR_JOB && use_own_job(d, &p->cred, q, id, size) == 0 ? 0 : -EACCES;
}

static void refuse(struct daemon *d, uid_t uid, enum control_verb verb, struct buf *reply)
{
	refusals_note(d->refusals, uid, control_verb_names[verb]);
	buf_addf(reply, "error user %d may not %s: root, the agent's user and those in "
		 "\"users\" may", (int)uid, control_verb_names[verb]);
}

/* Where the marks are, if not only where they should be. */
static void put_fate(const struct daemon *d, const struct recorder_status *s, bool left,
		     struct buf *to)
{
	if (left)
		buf_addf(to, "it waits in %s/marks: another process has the lock there",
			 d->config.runtime_dir);
	else if (s->stopped)
		buf_add(to, STR("it waits in memory: the archive cannot be written"));
	else if (s->moved)
		buf_add(to, STR("it is in a new file: the disk failed to sync the last one"));
}

/* Then the reply says where what was asked for is now. */
static bool has_fate(enum control_verb verb)
{
	return verb != CONTROL_STATUS && verb != CONTROL_SAMPLE;
}

/* The note of the verb, then the fate of the marks; without both the TIME of the group. */
static void put_reply(const struct daemon *d, const struct control_request *q, int e,
		      struct buf *note, struct buf *reply)
{
	struct buf more CLEANUP(buf_free) = { 0 };
	const struct recorder_status s = recorder_status(&d->recorder);
	bool left = e == REQUEST_LEFT;
	e = left ? 0 : e;
	bool done = control_explain(&more, q->verb, q->argument, e);
	bool waits = done && (left || s.stopped) && has_fate(q->verb);
	if (e == 0 && has_fate(q->verb))
		put_fate(d, &s, left, &more);
	if (!done)
		note->n = 0;
	else if (note->n && more.n)
		buf_add_char(note, '\n');
	buf_add(note, buf_str(&more));
	buf_add(reply, waits ? STR("waits ") : done ? STR("ok ") : STR("error "));
	if (note->n)
		buf_add(reply, buf_str(note));
	else
		buf_add_time(reply, s.last_us);
}

static void send_reply(int fd, struct buf *reply)
{
	if (reply->n > CONTROL_REPLY_MAX)
		reply->n = CONTROL_REPLY_MAX;
	if (reply->n && send(fd, reply->p, reply->n, MSG_NOSIGNAL) < 0)
		log_debug("a client left before its answer");
}

static bool has_given_up(const struct control_request *q)
{
	return monotonic_ns() / 1000000 >= q->expires_ms;
}

/*
 * The reply to one request; nothing for a client that has given up and marks by itself, nor for
 * one that is marked together with others (*together).
 */
static void answer(struct daemon *d, struct str text, const struct peer *p, struct buf *reply,
		   bool *together)
{
	struct buf note CLEANUP(buf_free) = { 0 };
	struct control_request q;
	char own[JOB_ID_MAX + 1] = "";

	if (control_parse(text, &q) < 0) {
		buf_add(reply, STR("error no such request"));
		return;
	}
	int e = authorise(d, p, &q, own, sizeof(own));
	if (e == -EACCES) {
		refuse(d, p->cred.uid, q.verb, reply);
		return;
	}
	if (has_given_up(&q))
		return;
	*together = e == 0 && !verbs[q.verb].run;
	if (*together)
		return;
	if (e == 0)
		e = verbs[q.verb].run(d, &q, &note);
	if (e == 0 && control_is_of_counters(q.verb))
		log_info("hardware counters: %s, job " STR_FMT ", asked by user %d",
			 control_verb_names[q.verb], STR_ARG(q.argument), (int)p->cred.uid);
	put_reply(d, &q, e, &note, reply);
}

static void close_peer(struct peer *p)
{
	p->source = sd_event_source_unref(p->source);
	if (p->fd > 0)
		close(p->fd);
	free(p->asks);
	*p = (struct peer){ .fd = 0 };
}

/* The peers that still wait, each with its request. */
static size_t list_waiting(struct daemon *d, struct peer **who, struct control_request *asked)
{
	size_t n = 0;
	for (size_t i = 0; i < PEERS_MAX; i++) {
		struct peer *p = &d->server->peer[i];
		if (!p->asks)
			continue;
		if (control_parse(str_of(p->asks), &asked[n]) < 0 || has_given_up(&asked[n]))
			close_peer(p);
		else
			who[n++] = p;
	}
	return n;
}

static void answer_marked(struct daemon *d, struct peer *p, const struct control_request *asked,
			  struct request *q)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	if (asked->verb != CONTROL_SUMMARY)
		q->summary.n = 0;
	put_reply(d, asked, q->result, &q->summary, &reply);
	send_reply(p->fd, &reply);
	buf_free(&q->summary);
	close_peer(p);
}

/* All who wait share one sample and one record group. */
static void mark_now(struct daemon *d)
{
	static struct peer *who[PEERS_MAX];
	static struct control_request asked[PEERS_MAX];
	static struct request q[PEERS_MAX];
	size_t n = list_waiting(d, who, asked);

	d->server->first_ns = 0;
	for (size_t i = 0; i < n; i++) {
		q[i] = (struct request){ .text = asked[i].argument };
		control_is_marked(asked[i].verb, &q[i].what);
	}
	int e = n ? recorder_requests(&d->recorder, q, n) : 0;
	if (e < 0)
		log_error("%zu marks are not made: %s", n, strerror(-e));
	for (size_t i = 0; i < n; i++)
		answer_marked(d, who[i], &asked[i], &q[i]);
	spool_follow(d);
}

void server_mark_waiting(struct daemon *d)
{
	if (d->server && d->server->first_ns)
		mark_now(d);
}

static void mark_together(struct daemon *d)
{
	if (spool_comes_first(d) == 0)
		mark_now(d);
}

static int on_together(sd_event_source *source, void *arg)
{
	(void)source;
	mark_together(arg);
	return 0;
}

/* Others who ask right now come first, but they cannot keep the first one waiting. */
static void wait_for_others(struct daemon *d, struct peer *p, struct str text)
{
	p->asks = xstrdup(text);
	if (!d->server->first_ns)
		d->server->first_ns = monotonic_ns();
	if (sd_event_source_set_enabled(d->server->together, SD_EVENT_ONESHOT) < 0)
		mark_together(d);
}

/* Also where somebody asks for other things all the time. */
static void keep_in_time(struct daemon *d)
{
	if (d->server->first_ns && monotonic_ns() - d->server->first_ns >= TOGETHER_NS)
		mark_together(d);
}

/* Whether the peer waits for others. */
static bool serve_request(struct daemon *d, struct peer *p)
{
	char text[CONTROL_REQUEST_MAX + 1];
	struct buf reply CLEANUP(buf_free) = { 0 };
	bool together = false;

	ssize_t n = recv(p->fd, text, sizeof(text), 0);
	if (n <= 0 || n > CONTROL_REQUEST_MAX)
		return false;
	struct str asks = { text, (size_t)n };
	answer(d, asks, p, &reply, &together);
	if (together)
		wait_for_others(d, p, asks);
	else
		send_reply(p->fd, &reply);
	return together;
}

static int on_request(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct daemon *d = arg;
	struct peer *p = d->server->peer, *end = p + PEERS_MAX;
	(void)events;

	while (p < end && p->fd != fd)
		p++;
	if (p == end)
		return 0;
	if (p->asks || !serve_request(d, p))	/* the peer has left, or is answered */
		close_peer(p);
	else if (p->source)
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	keep_in_time(d);
	return 0;
}

/*
 * A place that is free, else the next one, but not of one who waits for a mark: who only connects
 * is in the end pushed out by those who ask. NULL: all wait.
 */
static struct peer *find_place(struct server *s)
{
	for (size_t i = 0; i < PEERS_MAX; i++)
		if (s->peer[i].fd == 0)
			return &s->peer[i];
	for (size_t i = 0; i < PEERS_MAX; i++) {
		struct peer *p = &s->peer[s->next_peer];
		s->next_peer = (s->next_peer + 1) % PEERS_MAX;
		if (!p->asks)
			return p;
	}
	return NULL;
}

static int on_pause(sd_event_source *source, uint64_t usec, void *arg)
{
	struct server *s = arg;
	(void)source;
	(void)usec;
	s->pause = sd_event_source_unref(s->pause);
	return sd_event_source_set_enabled(s->listen[LISTEN_ALL].source, SD_EVENT_ON);
}

/* A flood waits outside. */
static void let_nobody_in(struct daemon *d, uint64_t until_us)
{
	struct server *s = d->server;
	if (!s->pause && sd_event_add_time(d->event, &s->pause, CLOCK_MONOTONIC, until_us, 0,
					   on_pause, s) >= 0)
		sd_event_source_set_enabled(s->listen[LISTEN_ALL].source, SD_EVENT_OFF);
}

/* Says why, without waiting for the request. */
static void turn_away(struct daemon *d, int fd, uid_t uid)
{
	static const char why[] = "error too many connections of this user: ask again";
	refusals_note(d->refusals, uid, "ask so often");
	uint64_t until_us = guests_turned_away(d->server->guests);
	if (until_us)
		let_nobody_in(d, until_us);
	if (send(fd, why, sizeof(why) - 1, MSG_NOSIGNAL) < 0)
		log_debug("one who was turned away has left");
	close(fd);
}

/* In a user namespace one user has 65,536 numbers: so there is a limit for all of them as well. */
static bool admits(const struct server *s, uid_t uid)
{
	size_t of_user = 0, all = 0;
	if (!guests_admit(s->guests, uid))
		return false;
	for (size_t i = 0; i < PEERS_MAX; i++) {
		all += s->peer[i].guest;
		of_user += s->peer[i].guest && s->peer[i].cred.uid == uid;
	}
	return of_user < OPEN_OF_USER && all < OPEN_OF_ALL;
}

static void let_in(struct daemon *d, const struct peer *who)
{
	struct peer *p = find_place(d->server);
	if (!p) {
		mark_together(d);
		p = find_place(d->server);
	}
	if (!p) {	/* a hook makes marks: this one leaves its own for that */
		close(who->fd);
		return;
	}
	close_peer(p);
	*p = *who;
	if (sd_event_add_io(d->event, &p->source, p->fd, EPOLLIN, on_request, d) < 0)
		close_peer(p);
}

/* False: there is nobody more. */
static bool take_connection(struct daemon *d, int listen_fd)
{
	struct peer who = { 0 };
	socklen_t size = sizeof(who.cred);
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return false;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who.cred, &size) < 0) {
		close(fd);
		return true;
	}
	who.fd = fd;
	who.guest = !trusted_has_named(d->trusted, &who.cred, fd);
	if (who.guest && !admits(d->server, who.cred.uid))
		turn_away(d, fd, who.cred.uid);
	else
		let_in(d, &who);
	return true;
}

static int on_connection(sd_event_source *source, int listen_fd, uint32_t events, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)events;
	for (int i = 0; i < ACCEPTS_MAX && !d->server->pause; i++)
		if (!take_connection(d, listen_fd))
			break;
	keep_in_time(d);
	return 0;
}

/* Also an agent that is too busy to answer, or hangs. */
static bool somebody_listens(const char *runtime_dir)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	int r = control_ask(runtime_dir, CONTROL_STATUS, STR(""), 500, &reply);
	return r == 0 || r == -ETIMEDOUT;
}

static int start_listening(struct daemon *d, int which)
{
	int fd = control_listen(d->config.runtime_dir, which == LISTEN_RESERVED);
	if (fd < 0)
		return fd;
	struct server *s = d->server;
	s->listen[which].fd = fd;
	return sd_event_add_io(d->event, &s->listen[which].source, fd, EPOLLIN, on_connection, d);
}

int server_start(struct daemon *d)
{
	if (somebody_listens(d->config.runtime_dir))
		return -EADDRINUSE;
	struct server *s = d->server = xrealloc(NULL, sizeof(*s));
	memset(s, 0, sizeof(*s));
	s->listen[LISTEN_ALL].fd = s->listen[LISTEN_RESERVED].fd = -1;
	s->guests = guests_new();
	int r = start_listening(d, LISTEN_RESERVED);
	if (r >= 0)
		r = start_listening(d, LISTEN_ALL);
	if (r >= 0)
		r = sd_event_add_defer(d->event, &s->together, on_together, d);
	if (r >= 0)
		r = sd_event_source_set_enabled(s->together, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_source_set_priority(s->together, SD_EVENT_PRIORITY_IDLE);
	return r < 0 ? r : 0;
}

void server_stop(struct daemon *d)
{
	struct server *s = d->server;
	if (!s)
		return;
	for (size_t i = 0; i < PEERS_MAX; i++)
		close_peer(&s->peer[i]);
	for (int i = 0; i < LISTENS; i++) {
		sd_event_source_unref(s->listen[i].source);
		close_fd(&s->listen[i].fd);
	}
	sd_event_source_unref(s->pause);
	sd_event_source_unref(s->together);
	free(s->guests);
	free(s);
	d->server = NULL;
}
