/* SPDX-License-Identifier: BSD-3-Clause */
/* server.c - the agent's side of the control socket */
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "agent/control.h"
#include "agent/daemon.h"
#include "agent/status.h"
#include "base/clock.h"
#include "base/log.h"
#include "formats/raw_write.h"

#define HOUR_NS   3600000000000
#define ASKED_MAX 100	/* requests for counters in an hour, of users who may not do more */

static bool in_list(struct str list, const char *name)
{
	struct str item;
	while (str_take_item(&list, &item))
		if (str_eq(item, str_of(name)))
			return true;
	return false;
}

/* Root, the agent's user and those configured may do everything. */
static bool is_trusted(const struct daemon *d, const struct ucred *peer)
{
	if (peer->uid == 0 || peer->uid == geteuid())
		return true;
	if (!d->config.users[0])
		return false;
	const struct passwd *pw = getpwuid(peer->uid);
	return pw && in_list(str_of(d->config.users), pw->pw_name);
}

/* Each costs a record group: no user fills the archive so. */
static bool is_too_often(struct daemon *d)
{
	int64_t now = monotonic_ns();
	if (d->asked.n == 0 || now - d->asked.since_ns >= HOUR_NS) {
		d->asked.since_ns = now;
		d->asked.n = 0;
	}
	return ++d->asked.n > ASKED_MAX;
}

/* Of its own job, where the configuration lets it, a process may yield and acquire counters. */
static int use_own_job(struct daemon *d, const struct ucred *peer, struct control_request *q,
		       char *id, size_t size)
{
	if (!d->config.counters_yield)
		return -EPERM;
	int e = own_job(&d->recorder, peer, id, size);
	if (e == -ESRCH)
		return e;
	if (q->argument.n && !str_eq(q->argument, str_of(id)))
		return -EACCES;
	q->argument = str_of(id);
	return e < 0 ? e : is_too_often(d) ? -EAGAIN : 0;
}

/* Everybody may ask how the agent is, and jobs for their counters. 0, or why it is refused. */
static int authorise(struct daemon *d, const struct ucred *peer, struct control_request *q,
		     char *id, size_t size)
{
	bool trusted = is_trusted(d, peer);
	if (q->verb == CONTROL_YIELD)
		return use_own_job(d, peer, q, id, size);
	if (trusted || q->verb == CONTROL_STATUS)
		return 0;
	return q->verb == CONTROL_ACQUIRE && use_own_job(d, peer, q, id, size) == 0 ? 0 : -EACCES;
}

static int end_with_summary(struct recorder *r, struct str job, struct buf *note)
{
	int e = recorder_end(r, job);
	buf_add(note, buf_str(&r->ended));
	return e;
}

static int serve_verb(struct daemon *d, const struct control_request *q, struct buf *note)
{
	switch (q->verb) {
	case CONTROL_BEGIN:
		return recorder_begin(&d->recorder, q->argument);
	case CONTROL_END:
		return recorder_end(&d->recorder, q->argument);
	case CONTROL_SUMMARY:
		return end_with_summary(&d->recorder, q->argument, note);
	case CONTROL_MARK:
		return recorder_mark(&d->recorder, q->argument);
	case CONTROL_COLLECT:
		return recorder_sample(&d->recorder, 0);
	case CONTROL_ROTATE:
		return recorder_rotate(&d->recorder);
	case CONTROL_RELOAD:
		return raise(SIGHUP) == 0 ? 0 : -EIO;	/* when this one is answered */
	case CONTROL_STATUS:
		status_put(note, &d->recorder, d->since_us);
		return 0;
	case CONTROL_RELEASE:
	case CONTROL_YIELD:
		return recorder_release(&d->recorder, q->argument);
	case CONTROL_ACQUIRE:
		return recorder_acquire(&d->recorder, q->argument);
	case CONTROL_VERBS:
		break;
	}
	return -EBADMSG;
}

static void refuse(const struct ucred *peer, enum control_verb verb, struct buf *reply)
{
	log_warning("user %d may not %s; see \"users\" in the configuration", (int)peer->uid,
		    control_verb_names[verb]);
	buf_addf(reply, "error user %d may not %s: root, the agent's user and those in "
		 "\"users\" may", (int)peer->uid, control_verb_names[verb]);
}

/* What was asked for, then what else is to say; the TIME of the group where there is nothing. */
static void put_reply(const struct daemon *d, const struct control_request *q, int e,
		      struct buf *note, struct buf *reply)
{
	struct buf more CLEANUP(buf_free) = { 0 };
	bool done = control_explain(&more, q->verb, q->argument, e);
	if (e == 0 && d->recorder.full && q->verb != CONTROL_STATUS)
		buf_add(&more, STR("it waits in memory: the archive cannot be written"));
	if (!done)
		note->n = 0;
	else if (note->n && more.n)
		buf_add_char(note, '\n');
	buf_add(note, buf_str(&more));
	buf_add(reply, done ? STR("ok ") : STR("error "));
	if (note->n)
		buf_add(reply, buf_str(note));
	else
		raw_put_time(reply, d->recorder.last_us);
}

/* The reply to one request; nothing for a client that has given up and marks by itself. */
static void answer(struct daemon *d, struct str text, const struct ucred *peer, struct buf *reply)
{
	struct buf note CLEANUP(buf_free) = { 0 };
	struct control_request q;
	char own[JOB_ID_MAX + 1] = "";

	if (control_parse(text, &q) < 0) {
		buf_add(reply, STR("error no such request"));
		return;
	}
	int e = authorise(d, peer, &q, own, sizeof(own));
	if (e == -EACCES) {
		refuse(peer, q.verb, reply);
		return;
	}
	if (monotonic_ns() / 1000000 >= q.expires_ms)
		return;
	if (e == 0)
		e = serve_verb(d, &q, &note);
	if (e == 0 && q.verb >= CONTROL_RELEASE)
		log_info("hardware counters: %s, job " STR_FMT ", asked by user %d",
			 control_verb_names[q.verb], STR_ARG(q.argument), (int)peer->uid);
	put_reply(d, &q, e, &note, reply);
	if (q.verb == CONTROL_ROTATE)
		daemon_tidy(d, true);
}

static void serve_request(struct daemon *d, int fd)
{
	char text[CONTROL_REQUEST_MAX + 1];
	struct buf reply CLEANUP(buf_free) = { 0 };
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return;
	ssize_t n = recv(fd, text, sizeof(text), 0);
	if (n <= 0 || n > CONTROL_REQUEST_MAX)
		return;
	answer(d, (struct str){ text, (size_t)n }, &peer, &reply);
	if (reply.n > CONTROL_REPLY_MAX)
		reply.n = CONTROL_REPLY_MAX;
	if (reply.n && send(fd, reply.p, reply.n, MSG_NOSIGNAL) < 0)
		log_debug("a client left before its answer");
}

static void close_peer(struct peer *p)
{
	p->source = sd_event_source_unref(p->source);
	if (p->fd > 0)
		close(p->fd);
	p->fd = 0;
}

static int on_request(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)events;

	serve_request(d, fd);
	for (size_t i = 0; i < PEERS_MAX; i++)
		if (d->peer[i].fd == fd)
			close_peer(&d->peer[i]);
	return 0;
}

/* Nobody is waited for; who only connects is in the end pushed out by those who ask. */
static int on_connection(sd_event_source *source, int listen_fd, uint32_t events, void *arg)
{
	struct daemon *d = arg;
	struct peer *p = &d->peer[d->next_peer];
	(void)source;
	(void)events;

	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return 0;
	d->next_peer = (d->next_peer + 1) % PEERS_MAX;
	close_peer(p);
	p->fd = fd;
	if (sd_event_add_io(d->event, &p->source, fd, EPOLLIN, on_request, d) < 0)
		close_peer(p);
	return 0;
}

/* Also an agent that is too busy to answer, or hangs. */
static bool somebody_listens(const char *runtime_dir)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	int r = control_ask(runtime_dir, CONTROL_STATUS, STR(""), 500, &reply);
	return r == 0 || r == -ETIMEDOUT;
}

int server_start(struct daemon *d)
{
	if (somebody_listens(d->config.runtime_dir))
		return -EADDRINUSE;
	int fd = control_listen(d->config.runtime_dir);
	if (fd < 0)
		return fd;
	d->listen_fd = fd;
	int r = sd_event_add_io(d->event, &d->listen_source, fd, EPOLLIN, on_connection, d);
	return r < 0 ? r : 0;
}

void server_stop(struct daemon *d)
{
	for (size_t i = 0; i < PEERS_MAX; i++)
		close_peer(&d->peer[i]);
	d->listen_source = sd_event_source_unref(d->listen_source);
	close_fd(&d->listen_fd);
	d->listen_fd = -1;
}
