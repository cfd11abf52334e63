/* SPDX-License-Identifier: BSD-3-Clause */
/* trusted.c - the users who may do everything at the control socket, found without waiting */
#include "agent/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/keys.h"
#include "base/log.h"
#include "base/system/close_all.h"
#include "base/system/users.h"
#include "base/vec.h"

/* A name service that hangs is given up, and asked again: it may not be there yet when we are. */
#define ASK_S    30
#define AGAIN_US 60000000u

struct trusted {
	sd_event *event;
	const char *users;	/* the list, for people */
	struct members members;
	struct buf rest;	/* names that /etc/passwd and /etc/group lack */
	pid_t asking;		/* the process that asks for these, 0: none */
	int fd;			/* for the answer of .asking, or -1 */
	bool reported;		/* some names are not known */
	sd_event_source *answer, *again;
};

static int on_again(sd_event_source *source, uint64_t usec, void *arg);

/* The number of a user, or of a group. */
struct found {
	bool group;
	uint32_t id;
};

static bool find(struct str name, struct found *f)
{
	char word[KEY_TEXT_MAX];
	f->group = str_take_prefix(&name, STR("@"));
	str_copy(word, sizeof(word), name);
	const struct group *gr = f->group ? getgrnam(word) : NULL;
	const struct passwd *pw = f->group ? NULL : getpwnam(word);
	f->id = gr ? gr->gr_gid : pw ? pw->pw_uid : 0;
	return gr || pw;
}

/* The other process: the number of each name that somebody knows. */
static _Noreturn void ask_service(int to, struct str names)
{
	struct str word;
	sigset_t none;
	int unknown = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close_all_but(to, to);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(ASK_S);
	while (str_take_item(&names, &word)) {
		struct found f = { 0 };
		if (!find(word, &f) || write(to, &f, sizeof(f)) < 0)
			unknown = 1;
	}
	_exit(unknown);
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct members *m = &((struct trusted *)arg)->members;
	struct found f;
	(void)source;
	(void)events;
	while (read(fd, &f, sizeof(f)) == sizeof(f)) {	/* a pipe keeps such a word whole */
		if (f.group)
			members_add_group(m, f.id);
		else
			users_add(&m->users, f.id);
	}
	return 0;
}

static int on_end(sd_event_source *source, const siginfo_t *info, void *arg)
{
	struct trusted *t = arg;
	sd_event_source_unref(source);
	if (info->si_pid != t->asking)
		return 0;	/* of a configuration that was */

	on_answer(t->answer, t->fd, 0, t);
	t->asking = 0;
	t->answer = sd_event_source_unref(t->answer);
	close_fd(&t->fd);
	if (info->si_code == CLD_EXITED && info->si_status == 0)
		return 0;
	if (!t->reported)
		log_warning("users = %s: not all of them are known; they are asked for each minute",
			    t->users);
	t->reported = true;
	t->again = sd_event_source_unref(t->again);
	return sd_event_add_time(t->event, &t->again, CLOCK_MONOTONIC,
				 (uint64_t)monotonic_ns() / 1000 + AGAIN_US, 0, on_again, t);
}

static int watch(struct trusted *t)
{
	int r = sd_event_add_child(t->event, NULL, t->asking, WEXITED, on_end, t);
	if (r >= 0)
		r = sd_event_add_io(t->event, &t->answer, t->fd, EPOLLIN, on_answer, t);
	return r;
}

static void ask(struct trusted *t)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		log_warning("users: %s", strerror(errno));
		return;
	}
	pid_t pid = fork();
	if (pid == 0)
		ask_service(ends[1], buf_str(&t->rest));
	close(ends[1]);
	t->fd = ends[0];
	t->asking = pid;
	int r = pid < 0 ? -errno : watch(t);
	if (r < 0)
		log_warning("users: %s", strerror(-r));
}

static int on_again(sd_event_source *source, uint64_t usec, void *arg)
{
	(void)source;
	(void)usec;
	ask(arg);
	return 0;
}

struct trusted *trusted_new(sd_event *event)
{
	struct trusted *t = xrealloc(NULL, sizeof(*t));
	*t = (struct trusted){ .event = event, .fd = -1 };
	return t;
}

void trusted_start(struct trusted *t, const char *users)
{
	t->users = users;
	members_add_local(&t->members, str_of(users), &t->rest);
	if (t->rest.n)
		ask(t);
}

void trusted_stop(struct trusted *t)
{
	sd_event_source_unref(t->again);
	sd_event_source_unref(t->answer);
	close_fd(&t->fd);
	buf_free(&t->rest);
	if (t->asking > 0)
		kill(t->asking, SIGKILL);
	*t = (struct trusted){ .event = t->event, .fd = -1 };
}

bool trusted_has_named(const struct trusted *t, const struct ucred *peer, int fd)
{
	const struct members *m = &t->members;
	return peer->uid == 0 || peer->uid == geteuid() || users_has(&m->users, peer->uid) ||
	       members_has_peer(m, peer, fd);
}

bool trusted_has(const struct trusted *t, const struct ucred *peer, int fd)
{
	return t->members.all || trusted_has_named(t, peer, fd);
}
