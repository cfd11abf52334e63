/* SPDX-License-Identifier: BSD-3-Clause */
/* trusted.c - find out which users may use all verbs of the control socket */
#include "agent/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/keys.h"
#include "base/log.h"
#include "base/system/child.h"
#include "base/system/close_all.h"
#include "base/system/users.h"
#include "base/vec.h"

/*
 * LOOKUP_S: seconds after which a lookup that hangs is ended. RETRY_US: microseconds to the next
 * try after a failed lookup, because the name service may start after the agent.
 */
#define LOOKUP_S 30
#define RETRY_US 60000000u

struct trusted {
	sd_event *event;
	const char *users;	/* configured list of users and groups, for log messages */
	struct members members;
	struct buf unresolved;	/* names that are not in /etc/passwd and /etc/group */
	pid_t lookup_pid;		/* process that looks up `unresolved`; 0: none */
	int fd;			/* pipe with the answer of `lookup_pid`; or -1 */
	bool has_logged;		/* the message about unknown names was logged */
	sd_event_source *answer, *retry;
};

static int trusted_on_retry(sd_event_source *source, uint64_t usec, void *arg);

/* The answer of the lookup process for one name: the id of a user or of a group. */
struct trusted_id {
	bool group;
	uint32_t id;
};

static bool trusted_resolve_name(struct str name, struct trusted_id *f)
{
	char word[KEY_TEXT_MAX];
	f->group = str_take_prefix(&name, STR("@"));
	str_copy(word, sizeof(word), name);
	const struct group *gr = f->group ? getgrnam(word) : NULL;
	const struct passwd *pw = f->group ? NULL : getpwnam(word);
	f->id = gr ? gr->gr_gid : pw ? pw->pw_uid : 0;
	return gr || pw;
}

/* Look up the names and write the answers to the pipe, in the child process. */
static _Noreturn void trusted_run_lookup(int to, struct str names)
{
	struct str word;
	sigset_t none;
	int unknown = 0;

	close_all_but(to, to);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(LOOKUP_S);
	while (str_take_item(&names, &word)) {
		struct trusted_id f = { 0 };
		if (!trusted_resolve_name(word, &f) || write(to, &f, sizeof(f)) < 0)
			unknown = 1;
	}
	_exit(unknown);
}

static int trusted_on_answer(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct members *m = &((struct trusted *)arg)->members;
	struct trusted_id f;
	(void)source;
	(void)events;
	/* writes of this size to a pipe are atomic, so each read gets a whole answer */
	while (read(fd, &f, sizeof(f)) == sizeof(f)) {
		if (f.group)
			members_add_group(m, f.id);
		else
			users_add(&m->users, f.id);
	}
	return 0;
}

static int trusted_on_lookup_end(sd_event_source *source, const siginfo_t *info, void *arg)
{
	struct trusted *t = arg;
	sd_event_source_unref(source);
	if (info->si_pid != t->lookup_pid)
		return 0;	/* ignore a lookup that was started for an earlier configuration */

	trusted_on_answer(t->answer, t->fd, 0, t);
	t->lookup_pid = 0;
	t->answer = sd_event_source_unref(t->answer);
	close_fd(&t->fd);
	if (info->si_code == CLD_EXITED && info->si_status == 0)
		return 0;
	if (!t->has_logged)
		log_warning("users = %s: some of these users are unknown; they are looked up every "
			    "minute", t->users);
	t->has_logged = true;
	t->retry = sd_event_source_unref(t->retry);
	return sd_event_add_time(t->event, &t->retry, CLOCK_MONOTONIC,
				 (uint64_t)monotonic_ns() / 1000 + RETRY_US, 0,
				 trusted_on_retry, t);
}

static int trusted_watch_lookup(struct trusted *t)
{
	int r = sd_event_add_child(t->event, NULL, t->lookup_pid, WEXITED, trusted_on_lookup_end,
				   t);
	if (r >= 0)
		r = sd_event_add_io(t->event, &t->answer, t->fd, EPOLLIN, trusted_on_answer, t);
	return r;
}

static void trusted_look_up(struct trusted *t)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		log_warning("users: %s", strerror(errno));
		return;
	}
	pid_t pid = child_fork(SIGKILL);
	if (pid == 0)
		trusted_run_lookup(ends[1], buf_str(&t->unresolved));
	close(ends[1]);
	t->fd = ends[0];
	t->lookup_pid = pid;
	int r = pid < 0 ? -errno : trusted_watch_lookup(t);
	if (r < 0)
		log_warning("users: %s", strerror(-r));
}

static int trusted_on_retry(sd_event_source *source, uint64_t usec, void *arg)
{
	(void)source;
	(void)usec;
	trusted_look_up(arg);
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
	members_add_local(&t->members, str_of(users), &t->unresolved);
	if (t->unresolved.n)
		trusted_look_up(t);
}

void trusted_stop(struct trusted *t)
{
	sd_event_source_unref(t->retry);
	sd_event_source_unref(t->answer);
	close_fd(&t->fd);
	buf_free(&t->unresolved);
	if (t->lookup_pid > 0)
		kill(t->lookup_pid, SIGKILL);
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
	return t->members.is_everybody || trusted_has_named(t, peer, fd);
}
