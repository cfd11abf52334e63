/* SPDX-License-Identifier: BSD-3-Clause */
/* sender_names.c - the host names of who sends packets: asked once each, by a process of its own */
#include "tracers/xrootd/input/sender_names.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/system/close_all.h"
#include "base/system/confine.h"
#include "base/files.h"
#include "base/map.h"
#include "base/system/privileges.h"

#define SENDERS_MAX 4096	/* when full, all is forgotten */
#define NAME_BYTES  256		/* RFC 1035: 253 at most */
#define FRESH_S     3600	/* then a name is asked for again */
#define AGAIN_S     10		/* a question that could not be put is put later */
#define ALONE_S     2		/* a question whose asker has ended is given up by then */
#define WAIT_MS     200		/* for a name server that is fast; one that is not gets no more */

struct sender_name {
	struct in6_addr address;
	time_t asked;
	char text[NAME_BYTES];
};

/* A question (.name empty) to the process that asks name servers, or its answer. */
struct question {
	struct sockaddr_in6 who;
	char name[NAME_BYTES];
};

struct sender_names {
	int fd;			/* to that process; -1: there is none */
	pid_t pid;
	size_t waiting;		/* questions without an answer yet */
	bool slow;		/* the last one waited for came too late */
	size_t n;
	struct map by_address;	/* places in .sender */
	struct sender_name sender[SENDERS_MAX];
};

/* A name server may say anything: letters, digits, dots, dashes are what names have. */
static bool name_is_good(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ" "abcdefghijklmnopqrstuvwxyz"
			    "0123456789.-_", *p))
			return false;
	return *name != '\0';
}

/* /etc/hosts knows no mapped addresses. */
static int look_up(struct question *q, bool unmap)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	const struct sockaddr *who = (const struct sockaddr *)&q->who;
	socklen_t n = sizeof(q->who);
	if (unmap && IN6_IS_ADDR_V4MAPPED(&q->who.sin6_addr)) {
		memcpy(&v4.sin_addr, q->who.sin6_addr.s6_addr + 12, sizeof(v4.sin_addr));
		who = (const struct sockaddr *)&v4;
		n = sizeof(v4);
	}
	return getnameinfo(who, n, q->name, sizeof(q->name), NULL, 0, NI_NAMEREQD);
}

static pid_t asker;

static void on_alarm(int signal_number)
{
	(void)signal_number;
	if (getppid() != asker)
		_exit(0);
	alarm(ALONE_S);
}

static void answer_questions(int fd, bool unmap)
{
	struct question q;
	while (recv(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q)) {
		alarm(ALONE_S);
		if (look_up(&q, unmap) != 0 || !name_is_good(q.name))
			q.name[0] = '\0';
		if (send(fd, &q, sizeof(q), MSG_NOSIGNAL) < 0)
			return;
		alarm(0);
	}
}

/* Confines the process that asks a name server: it needs the resolver's configuration alone. */
static void confine_lookups(void)
{
	static const struct confine_path paths[] = {
		{ "/etc", CONFINE_READ }, { "/run", CONFINE_READ },
	};
	struct confined c;
	confine(paths, ARRAY_SIZE(paths), MAY_CONNECT | MAY_NETWORK, &c);
	if (privileges_keep(0) < 0)
		return;		/* keeps its parent's, confined all the same */
}

struct sender_names *sender_names_new(bool unmap)
{
	struct sender_names *s = calloc(1, sizeof(*s));
	int pair[2];
	if (!s)
		abort();
	s->fd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return s;
	asker = getpid();
	s->pid = fork();
	if (s->pid == 0) {
		close_all_but(pair[1], pair[1]);	/* a port would stay taken */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGINT, SIG_IGN);	/* a terminal's, for all: we end with our parent */
		signal(SIGALRM, on_alarm);
		confine_lookups();
		answer_questions(pair[1], unmap);
		_exit(0);
	}
	close_fd(&pair[1]);
	s->fd = pair[0];
	if (s->pid < 0)
		close_fd(&s->fd);
	if (s->pid < 0)
		s->fd = -1;
	return s;
}

void sender_names_free(struct sender_names *s)
{
	if (!s)
		return;
	close_fd(&s->fd);
	/*
	 * The process may be waiting for a name server. It began before we were confined: where
	 * landlock confines signals it gets none of ours, and ends by itself.
	 */
	if (s->pid > 0 && kill(s->pid, SIGKILL) == 0)
		waitpid(s->pid, NULL, 0);
	map_free(&s->by_address);
	free(s);
}

static uint64_t hash_of(const struct in6_addr *a)
{
	return map_hash((struct str){ (const char *)a->s6_addr, sizeof(a->s6_addr) });
}

static struct sender_name *find(struct sender_names *s, const struct in6_addr *a)
{
	for (struct map_slot *at = NULL; (at = map_next(&s->by_address, hash_of(a), at));)
		if (memcmp(&s->sender[at->value.n].address, a, sizeof(*a)) == 0)
			return &s->sender[at->value.n];
	return NULL;
}

static struct sender_name *add(struct sender_names *s, const struct in6_addr *a)
{
	if (s->n == SENDERS_MAX) {
		map_clear(&s->by_address);
		s->n = 0;
	}
	struct sender_name *new = &s->sender[s->n];
	*new = (struct sender_name){ .address = *a };
	map_add(&s->by_address, hash_of(a), (union map_value){ .n = s->n++ });
	return new;
}

/* False: not one. */
static bool take_answers(struct sender_names *s, int timeout_ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	struct question q;
	if (poll(&p, 1, timeout_ms) <= 0)
		return false;
	while (recv(s->fd, &q, sizeof(q), MSG_DONTWAIT) == (ssize_t)sizeof(q)) {
		struct sender_name *one = find(s, &q.who.sin6_addr);
		s->waiting -= s->waiting > 0;
		s->slow &= !one || time(NULL) - one->asked > 1;
		if (one && q.name[0])
			str_copy(one->text, sizeof(one->text), str_of(q.name));
	}
	return true;
}

static void ask(struct sender_names *s, struct sender_name *one, const struct sockaddr_in6 *from)
{
	struct question q = { .who = *from };
	bool idle = s->waiting == 0;
	one->asked = time(NULL);
	if (s->fd < 0)
		return;
	if (send(s->fd, &q, sizeof(q), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		one->asked -= FRESH_S - AGAIN_S;
		return;
	}
	s->waiting++;
	if (idle && !s->slow)
		s->slow = !take_answers(s, WAIT_MS);
}

/* As XRootD shows addresses. */
static void put_address(char *to, const struct in6_addr *a)
{
	char text[INET6_ADDRSTRLEN] = "";
	inet_ntop(AF_INET6, a, text, sizeof(text));
	to[0] = '[';
	str_copy(to + 1, INET6_ADDRSTRLEN, str_of(text));
	size_t n = strlen(to);
	to[n] = ']';
	to[n + 1] = '\0';
}

struct str sender_names_get(struct sender_names *s, const struct sockaddr_in6 *from)
{
	if (s->waiting)
		take_answers(s, 0);
	struct sender_name *one = find(s, &from->sin6_addr);
	if (!one) {
		one = add(s, &from->sin6_addr);
		put_address(one->text, &from->sin6_addr);
		ask(s, one, from);
	} else if (time(NULL) - one->asked > FRESH_S) {
		ask(s, one, from);
	}
	return str_of(one->text);
}
