/* SPDX-License-Identifier: BSD-3-Clause */
/* server.c - the agent's side of the control socket */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "agent/confinement.h"
#include "agent/control.h"
#include "agent/daemon.h"
#include "agent/connection_limits.h"
#include "agent/peer_job.h"
#include "agent/refusals.h"
#include "agent/sample_now.h"
#include "agent/status_reply.h"
#include "agent/trusted.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/vec.h"
#include "recorder/requests.h"

#define HOUR_NS              3600000000000
/* ns; longest delay of a mark request, to handle several requests together */
#define MARK_DEFER_MAX_NS    50000000
#define ACCEPTS_MAX          64	/* connections accepted before other events are handled */
/* limit per hour of requests for hardware counters, for all unprivileged users together */
#define COUNTER_REQUESTS_MAX 100
/* limit per hour of samples for reports on running jobs, for all users together */
#define FRESH_SAMPLES_MAX    120
/* us; a report on a running job takes no new sample if the newest one is younger than this */
#define FRESH_US             2000000

/* limits of open connections: in total, per unprivileged UID, and of all unprivileged users */
#define PEERS_MAX          1024
#define UNPRIVILEGED_OPEN_UID_MAX 16
#define UNPRIVILEGED_OPEN_MAX     256

enum { LISTEN_ALL, LISTEN_RESERVED, LISTENS };	/* the two sockets of control_listen() */

/* Counter of requests within an hour that starts with the first of the counted requests. */
struct hourly {
	/* time of the first request of the hour, in nanoseconds of CLOCK_MONOTONIC */
	int64_t start_ns;
	unsigned n;
};

struct server {
	struct {
		int fd;			/* -1 if closed */
		sd_event_source *source;
	} listen[LISTENS];
	struct peer {
		int fd;			/* 0 if unused */
		struct ucred cred;
		/* an unprivileged user; see connection_limits_admit() */
		bool is_unprivileged;
		sd_event_source *source;
		char *mark_request;		/* text of a deferred mark request; or NULL */
	} peer[PEERS_MAX];
	size_t next_peer;
	/* handles the deferred mark requests when no other event is pending */
	sd_event_source *mark_source;
	/*
	 * arrival of the oldest deferred mark request, ns of CLOCK_MONOTONIC; 0: none is deferred
	 */
	int64_t first_wait_ns;
	struct connection_limits *limits;
	/* timer; while it runs, the socket for all users accepts no connections */
	sd_event_source *accept_timer;
	/*
	 * spare descriptor: closed to accept a connection when no other descriptor is left; see
	 * server_drop_connection()
	 */
	int spare_fd;
	/* requests of unprivileged users for hardware counters, and samples taken for reports */
	struct hourly counter_requests, fresh_samples;
};

/*
 * Count a request. Returns true if more than `most` were made in this hour. Each request writes a
 * record group, so the limit keeps users from filling the archive.
 */
static bool server_is_rate_limited(struct hourly *h, unsigned most)
{
	int64_t now = monotonic_ns();
	if (h->n == 0 || now - h->start_ns >= HOUR_NS)
		*h = (struct hourly){ .start_ns = now };
	return ++h->n > most;
}

/*
 * Check that a process may release or acquire the hardware counters: only for its own job. Sets the
 * request's argument to this job. Returns 0 or -errno.
 */
static int server_authorize_job(struct daemon *d, const struct ucred *peer,
				struct control_request *q,
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
	if (e < 0)
		return e;
	return server_is_rate_limited(&d->server->counter_requests, COUNTER_REQUESTS_MAX) ?
	       -EAGAIN : 0;
}

static int server_collect(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)q;
	(void)note;
	return recorder_sample(&d->recorder, 0);
}

/*
 * Bring the archive up to date for a report on a running job: write all waiting record groups, and
 * take a sample unless one was taken recently, after the job's begin.
 */
static int server_fresh(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)note;
	struct recorder *r = &d->recorder;
	const struct job *job = jobs_get(&r->jobs, q->argument);
	int64_t last_us = r->persistent.last_us;

	if (!job)
		return -ENOENT;
	recorder_settle(r);
	int64_t age_us = realtime_us() - last_us;	/* negative if the clock was set back */
	if (age_us >= 0 && age_us < FRESH_US && job->since_us < last_us)
		return 0;
	if (server_is_rate_limited(&d->server->fresh_samples, FRESH_SAMPLES_MAX))
		return -EAGAIN;
	return recorder_sample(r, 0);
}

static int server_rotate(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)q;
	(void)note;
	int e = recorder_rotate(&d->recorder);
	daemon_tidy(d, true);
	return e;
}

/* Request a reload: the main loop handles SIGHUP after this reply was sent. */
static int server_reload(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)d;
	(void)q;
	(void)note;
	return raise(SIGHUP) == 0 ? 0 : -EIO;
}

static int server_status(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)q;
	recorder_settle(&d->recorder);
	status_put(note, &d->recorder, ticker_live(d), d->since_us);
	status_put_refused(note, buf_str(&d->reload_errors));
	refusals_put(d->refusals, note);
	confinement_put(d->confinement, note);
	return 0;
}

static int server_sample(struct daemon *d, const struct control_request *q, struct buf *note)
{
	return sample_now(d->sample, &d->recorder, q, note);
}

static int server_release(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)note;
	return recorder_release(&d->recorder, q->argument);
}

static int server_acquire(struct daemon *d, const struct control_request *q, struct buf *note)
{
	(void)note;
	return recorder_acquire(&d->recorder, q->argument);
}

/*
 * Permissions of verbs. JOB: a process of a job may use the verb for that job. TRUSTED: a peer with
 * .trusted set, see struct control_request.
 */
enum permission { TRUSTED, EVERYBODY, TRUSTED_OR_JOB, JOB };

#define MARKED(id, name, what)       [CONTROL_##id] = { TRUSTED, NULL },
#define VERB(id, name, who, run)     [CONTROL_##id] = { who, run },
static const struct verb {
	enum permission permission;
	int (*run)(struct daemon *d, const struct control_request *q, struct buf *note);
} verbs[CONTROL_VERBS] = {
#include "agent/verbs.inc"
};
#undef MARKED
#undef VERB

/* Check that the peer may make the request. Returns 0 or -errno. */
static int server_authorize(struct daemon *d, const struct peer *p, struct control_request *q,
			    char *id,
			    size_t size)
{
	enum permission permission = verbs[q->verb].permission;
	bool trusted = q->trusted = trusted_has(d->trusted, &p->cred, p->fd);
	if (permission == JOB)
		return server_authorize_job(d, &p->cred, q, id, size);
	if (trusted || permission == EVERYBODY)
		return 0;
	return permission == TRUSTED_OR_JOB && server_authorize_job(d, &p->cred, q, id,
							     size) == 0 ? 0 : -EACCES;
}

static void server_put_refusal(struct daemon *d, uid_t uid, enum control_verb verb,
			       struct buf *reply)
{
	refusals_note(d->refusals, uid, control_verb_names[verb]);
	buf_addf(reply, "error user %u may not %s: only root, the agent's user and those in "
		 "\"users\" may", (unsigned)uid, control_verb_names[verb]);
}

/*
 * If the mark is not in the current file of the archive, append where the mark is: in the spool
 * (`left`), in memory, or in a new file that was begun for it.
 */
static void server_put_mark_state(const struct daemon *d, const struct recorder_status *s,
				  bool left,
				  struct buf *to)
{
	if (left)
		buf_addf(to, "it waits in %s/marks: %s", d->config.runtime_dir, s->stopped ?
			 "the archive cannot be written, and memory is full" :
			 "another process holds its lock");
	else if (s->stopped)
		buf_add(to, STR("it waits in memory: the archive cannot be written"));
	else if (s->moved)
		buf_add(to, STR("it is in a new file: the disk failed to sync the last one"));
}

/*
 * Return true if the verb writes a record, so that the reply must say whether the record is in the
 * archive.
 */
static bool server_verb_writes_record(enum control_verb verb)
{
	return verb != CONTROL_STATUS && verb != CONTROL_SAMPLE;
}

/*
 * Append the reply: "ok", "waits" or "error"; then `note`, the text that the verb's handler wrote
 * or, if it wrote none, the time of the last record group; then where the mark is, if it is not in
 * the current file of the archive.
 */
static void server_put_reply(const struct daemon *d, const struct control_request *q, int e,
			     struct buf *note, struct buf *reply)
{
	struct buf more CLEANUP(buf_free) = { 0 };
	const struct recorder_status s = recorder_status(&d->recorder);
	bool left = e == REQUEST_LEFT;
	e = left ? 0 : e;
	bool done = control_explain(&more, q->verb, q->argument, e);
	bool waits = done && (left || s.stopped) && server_verb_writes_record(q->verb);
	if (e == 0 && server_verb_writes_record(q->verb))
		server_put_mark_state(d, &s, left, &more);
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

static void server_send_reply(int fd, struct buf *reply)
{
	if (reply->n > CONTROL_REPLY_MAX)
		reply->n = CONTROL_REPLY_MAX;
	if (reply->n && send(fd, reply->p, reply->n, MSG_NOSIGNAL) < 0)
		log_debug("a client disconnected before it got its answer");
}

static bool server_client_gave_up(const struct control_request *q)
{
	return monotonic_ns() / 1000000 >= q->expires_ms;
}

/*
 * Handle one request. The reply stays empty in two cases: the client has given up and makes the
 * mark itself; or *deferred is set, and the request is handled later, together with mark requests
 * of other peers.
 */
static void server_handle_request(struct daemon *d, struct str text, const struct peer *p,
				  struct buf *reply,
				  bool *deferred)
{
	struct buf note CLEANUP(buf_free) = { 0 };
	struct control_request q;
	char own[JOB_ID_MAX + 1] = "";

	if (control_parse(text, &q) < 0) {
		buf_add(reply, STR("error unknown request"));
		return;
	}
	int e = server_authorize(d, p, &q, own, sizeof(own));
	if (e == -EACCES) {
		server_put_refusal(d, p->cred.uid, q.verb, reply);
		return;
	}
	if (server_client_gave_up(&q))
		return;
	*deferred = e == 0 && !verbs[q.verb].run;
	if (*deferred)
		return;
	if (e == 0)
		e = verbs[q.verb].run(d, &q, &note);
	if (e == 0 && control_is_of_counters(q.verb))
		log_info("hardware counters: %s, job " STR_FMT ", requested by user %u",
			 control_verb_names[q.verb], STR_ARG(q.argument), (unsigned)p->cred.uid);
	server_put_reply(d, &q, e, &note, reply);
}

static void server_close_peer(struct peer *p)
{
	p->source = sd_event_source_unref(p->source);
	if (p->fd > 0)
		close(p->fd);
	free(p->mark_request);
	*p = (struct peer){ .fd = 0 };
}

/* List the deferred mark requests and their peers. Closes peers whose time limit has passed. */
static size_t server_list_waiting(struct daemon *d, struct peer **peer,
				  struct control_request *request)
{
	size_t n = 0;
	for (size_t i = 0; i < PEERS_MAX; i++) {
		struct peer *p = &d->server->peer[i];
		if (!p->mark_request)
			continue;
		if (control_parse(str_of(p->mark_request), &request[n]) < 0 ||
		    server_client_gave_up(&request[n]))
			server_close_peer(p);
		else
			peer[n++] = p;
	}
	return n;
}

static void server_reply_mark(struct daemon *d, struct peer *p,
			      const struct control_request *request,
			      struct request *q)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	if (request->verb != CONTROL_SUMMARY)
		q->summary.n = 0;
	server_put_reply(d, request, q->result, &q->summary, &reply);
	server_send_reply(p->fd, &reply);
	buf_free(&q->summary);
	server_close_peer(p);
}

/* Handle all deferred mark requests with one sample and one record group. */
static void server_mark_now(struct daemon *d)
{
	static struct peer *peer[PEERS_MAX];
	static struct control_request request[PEERS_MAX];
	static struct request q[PEERS_MAX];
	size_t n = server_list_waiting(d, peer, request);

	d->server->first_wait_ns = 0;
	for (size_t i = 0; i < n; i++) {
		q[i] = (struct request){ .text = request[i].argument };
		control_is_marked(request[i].verb, &q[i].what);
	}
	int e = n ? recorder_requests(&d->recorder, q, n) : 0;
	if (e < 0)
		log_error("%zu marks were not recorded: %s", n, strerror(-e));
	for (size_t i = 0; i < n; i++)
		server_reply_mark(d, peer[i], &request[i], &q[i]);
	spool_follow(d);
}

void server_mark_waiting(struct daemon *d)
{
	if (d->server && d->server->first_wait_ns)
		server_mark_now(d);
}

static void server_mark_after_spool(struct daemon *d)
{
	if (spool_comes_first(d) == 0)
		server_mark_now(d);
}

static int server_on_together(sd_event_source *source, void *arg)
{
	(void)source;
	server_mark_after_spool(arg);
	return 0;
}

/* Defer a mark request until no other request is pending, but at most by MARK_DEFER_MAX_NS. */
static void server_defer_mark(struct daemon *d, struct peer *p, struct str text)
{
	p->mark_request = xstrdup(text);
	if (!d->server->first_wait_ns)
		d->server->first_wait_ns = monotonic_ns();
	if (sd_event_source_set_enabled(d->server->mark_source, SD_EVENT_ONESHOT) < 0)
		server_mark_after_spool(d);
}

/*
 * Handle the deferred mark requests if the oldest is older than MARK_DEFER_MAX_NS: if requests
 * arrive without a pause, the handler for idle times is never called.
 */
static void server_mark_if_due(struct daemon *d)
{
	int64_t first_ns = d->server->first_wait_ns;
	if (first_ns && monotonic_ns() - first_ns >= MARK_DEFER_MAX_NS)
		server_mark_after_spool(d);
}

/*
 * Receive and handle one request. Returns true if the request was deferred, to be handled together
 * with mark requests of other peers.
 */
static bool server_serve_request(struct daemon *d, struct peer *p)
{
	char text[CONTROL_REQUEST_MAX + 1];
	struct buf reply CLEANUP(buf_free) = { 0 };
	bool deferred = false;

	ssize_t n = recv(p->fd, text, sizeof(text), 0);
	if (n <= 0 || n > CONTROL_REQUEST_MAX)
		return false;
	struct str mark_request = { text, (size_t)n };
	server_handle_request(d, mark_request, p, &reply, &deferred);
	if (deferred)
		server_defer_mark(d, p, mark_request);
	else
		server_send_reply(p->fd, &reply);
	return deferred;
}

static int server_on_request(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct daemon *d = arg;
	struct peer *p = d->server->peer, *end = p + PEERS_MAX;
	(void)events;

	while (p < end && p->fd != fd)
		p++;
	if (p == end)
		return 0;
	if (p->mark_request ||
	    /* false: the peer has closed the connection or has its reply */
	    !server_serve_request(d, p))
		server_close_peer(p);
	else if (p->source)
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	server_mark_if_due(d);
	return 0;
}

/*
 * Return an unused entry of .peer. If there is none, choose in round-robin order a peer without a
 * deferred mark request, and return its entry; the caller must close this peer's connection.
 * Returns NULL if all peers have deferred mark requests.
 */
static struct peer *server_find_slot(struct server *s)
{
	for (size_t i = 0; i < PEERS_MAX; i++)
		if (s->peer[i].fd == 0)
			return &s->peer[i];
	for (size_t i = 0; i < PEERS_MAX; i++) {
		struct peer *p = &s->peer[s->next_peer];
		s->next_peer = (s->next_peer + 1) % PEERS_MAX;
		if (!p->mark_request)
			return p;
	}
	return NULL;
}

static int server_on_pause_end(sd_event_source *source, uint64_t usec, void *arg)
{
	struct server *s = arg;
	(void)source;
	(void)usec;
	s->accept_timer = sd_event_source_unref(s->accept_timer);
	return sd_event_source_set_enabled(s->listen[LISTEN_ALL].source, SD_EVENT_ON);
}

/*
 * Stop accepting connections to the socket for all users until until_us (microseconds of
 * CLOCK_MONOTONIC). New connections wait in the kernel's queue.
 */
static void server_pause_unprivileged(struct daemon *d, uint64_t until_us)
{
	struct server *s = d->server;
	if (!s->accept_timer &&
	    sd_event_add_time(d->event, &s->accept_timer, CLOCK_MONOTONIC, until_us, 0,
			      server_on_pause_end, s) >= 0)
		sd_event_source_set_enabled(s->listen[LISTEN_ALL].source, SD_EVENT_OFF);
}

/* Send the reason to the client and close the connection, without reading the request. */
static void server_refuse_connection(struct daemon *d, int fd, uid_t uid)
{
	static const char why[] = "error too many connections from this user: try again";
	refusals_note(d->refusals, uid, "ask so often");
	uint64_t until_us = connection_limits_note_refusal(d->server->limits);
	if (until_us)
		server_pause_unprivileged(d, until_us);
	if (send(fd, why, sizeof(why) - 1, MSG_NOSIGNAL) < 0)
		log_debug("a refused client disconnected before it got its answer");
	close(fd);
}

/*
 * Return true if the connection of an unprivileged user is accepted. One user can have 65,536 UIDs
 * in a user namespace, so all unprivileged users together have a limit as well.
 */
static bool server_admits_unprivileged(const struct server *s, uid_t uid)
{
	size_t of_user = 0, all = 0;
	if (!connection_limits_admit(s->limits, uid))
		return false;
	for (size_t i = 0; i < PEERS_MAX; i++) {
		all += s->peer[i].is_unprivileged;
		of_user += s->peer[i].is_unprivileged && s->peer[i].cred.uid == uid;
	}
	return of_user < UNPRIVILEGED_OPEN_UID_MAX && all < UNPRIVILEGED_OPEN_MAX;
}

static void server_add_peer(struct daemon *d, const struct peer *new_peer)
{
	struct peer *p = server_find_slot(d->server);
	if (!p) {
		server_mark_after_spool(d);
		p = server_find_slot(d->server);
	}
	/*
	 * If p is NULL, all peers have deferred mark requests, because a hook holds the jobs lock.
	 * Close the new connection: a client without a reply spools its mark itself.
	 */
	if (!p) {
		close(new_peer->fd);
		return;
	}
	server_close_peer(p);
	*p = *new_peer;
	if (sd_event_add_io(d->event, &p->source, p->fd, EPOLLIN, server_on_request, d) < 0)
		server_close_peer(p);
}

static void server_reserve(struct server *s)
{
	s->spare_fd = fcntl(s->listen[LISTEN_ALL].fd, F_DUPFD_CLOEXEC, 0);
}

/*
 * Accept and close a connection for which no descriptor is left, so that the event loop does not
 * spin, and the client does not wait: a hook then makes the mark itself. Returns false if no
 * connection is pending.
 */
static bool server_drop_connection(struct server *s, int listen_fd)
{
	close_fd(&s->spare_fd);
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	close_fd(&fd);
	server_reserve(s);
	return fd >= 0;
}

/* Accept one connection. Returns false if no connection is pending. */
static bool server_accept(struct daemon *d, int listen_fd)
{
	struct peer new_peer = { 0 };
	socklen_t size = sizeof(new_peer.cred);
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return (errno == EMFILE || errno == ENFILE) && d->server->spare_fd >= 0 &&
		       server_drop_connection(d->server, listen_fd);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &new_peer.cred, &size) < 0) {
		close(fd);
		return true;
	}
	new_peer.fd = fd;
	new_peer.is_unprivileged = !trusted_has_named(d->trusted, &new_peer.cred, fd);
	if (new_peer.is_unprivileged && !server_admits_unprivileged(d->server, new_peer.cred.uid))
		server_refuse_connection(d, fd, new_peer.cred.uid);
	else
		server_add_peer(d, &new_peer);
	return true;
}

static int server_on_connection(sd_event_source *source, int listen_fd, uint32_t events, void *arg)
{
	struct daemon *d = arg;
	bool reserved = listen_fd == d->server->listen[LISTEN_RESERVED].fd;
	(void)source;
	(void)events;
	for (int i = 0; i < ACCEPTS_MAX && (reserved || !d->server->accept_timer); i++)
		if (!server_accept(d, listen_fd))
			break;
	server_mark_if_due(d);
	return 0;
}

/* Return true if another agent listens, even if it is too busy to answer. */
static bool server_other_agent_listens(const char *runtime_dir)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	int r = control_ask(runtime_dir, CONTROL_STATUS, STR(""), 500, &reply);
	return r == 0 || r == -ETIMEDOUT;
}

static int server_listen(struct daemon *d, int which)
{
	int fd = control_listen(d->config.runtime_dir, which == LISTEN_RESERVED);
	if (fd < 0)
		return fd;
	struct server *s = d->server;
	s->listen[which].fd = fd;
	return sd_event_add_io(d->event, &s->listen[which].source, fd, EPOLLIN,
			       server_on_connection, d);
}

int server_start(struct daemon *d)
{
	if (server_other_agent_listens(d->config.runtime_dir))
		return -EADDRINUSE;
	struct server *s = d->server = xrealloc(NULL, sizeof(*s));
	memset(s, 0, sizeof(*s));
	s->listen[LISTEN_ALL].fd = s->listen[LISTEN_RESERVED].fd = -1;
	s->limits = connection_limits_new();
	int r = server_listen(d, LISTEN_RESERVED);
	if (r >= 0)
		r = server_listen(d, LISTEN_ALL);
	server_reserve(s);
	if (r >= 0)
		r = sd_event_add_defer(d->event, &s->mark_source, server_on_together, d);
	if (r >= 0)
		r = sd_event_source_set_enabled(s->mark_source, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_source_set_priority(s->mark_source, SD_EVENT_PRIORITY_IDLE);
	return r < 0 ? r : 0;
}

void server_stop(struct daemon *d)
{
	struct server *s = d->server;
	if (!s)
		return;
	for (size_t i = 0; i < PEERS_MAX; i++)
		server_close_peer(&s->peer[i]);
	for (int i = 0; i < LISTENS; i++) {
		sd_event_source_unref(s->listen[i].source);
		close_fd(&s->listen[i].fd);
	}
	close_fd(&s->spare_fd);
	sd_event_source_unref(s->accept_timer);
	sd_event_source_unref(s->mark_source);
	free(s->limits);
	free(s);
	d->server = NULL;
}
