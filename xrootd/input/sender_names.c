/* SPDX-License-Identifier: BSD-3-Clause */
/* sender_names.c - look up host names of senders in a separate process, and cache them */
#include "xrootd/input/sender_names.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "base/system/child.h"
#include "base/system/close_all.h"
#include "base/system/confine.h"
#include "base/files.h"
#include "base/map.h"
#include "base/system/privileges.h"

/* maximum number of cached names; a full cache is cleared */
#define SENDERS_MAX    4096
#define NAME_BYTES     256	/* size of a name; a host name has at most 253 bytes (RFC 1035) */
#define REFRESH_S      3600	/* age at which a name is looked up again, in seconds */
#define RETRY_S        10	/* pause before a question that was not sent is repeated, in s */
/* how often the lookup process checks during a lookup that its parent still runs, in seconds */
#define ORPHAN_CHECK_S 2
/* how long the kernel may take to end a killed process, in milliseconds */
#define END_MS         100
/* longest wait for an answer, in milliseconds */
#define WAIT_MS        200

struct sender_name {
	struct in6_addr address;
	time_t looked_up_at;
	char text[NAME_BYTES];
};

/* A question to the lookup process (with .name empty), or its answer. */
struct name_question {
	struct sockaddr_in6 who;
	char name[NAME_BYTES];
};

struct sender_names {
	int fd;			/* socket to the lookup process; -1: it does not run */
	pid_t pid;
	size_t waiting;		/* number of questions without an answer */
	/* an answer took longer than WAIT_MS; cleared by an answer within about a second */
	bool slow;
	size_t n;
	struct map by_address;	/* index in .sender by address */
	struct sender_name sender[SENDERS_MAX];
};

/*
 * Check that a name has only letters, digits, dots, dashes and underscores. A name server may send
 * anything.
 */
static bool sender_name_is_valid(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ" "abcdefghijklmnopqrstuvwxyz"
			    "0123456789.-_", *p))
			return false;
	return *name != '\0';
}

/*
 * Look up a name. If unmap is true, convert a mapped IPv4 address to IPv4 first, because /etc/hosts
 * has no mapped addresses.
 */
static int sender_name_look_up(struct name_question *q, bool unmap)
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

static void sender_names_on_alarm(int signal_number)
{
	(void)signal_number;
	if (getppid() != asker)
		_exit(0);
	alarm(ORPHAN_CHECK_S);
}

static void sender_names_answer(int fd, bool unmap)
{
	struct name_question q;
	while (recv(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q)) {
		alarm(ORPHAN_CHECK_S);
		if (sender_name_look_up(&q, unmap) != 0 || !sender_name_is_valid(q.name))
			q.name[0] = '\0';
		if (send(fd, &q, sizeof(q), MSG_NOSIGNAL) < 0)
			return;
		alarm(0);
	}
}

/* Confine the lookup process to the resolver's configuration and the network. */
static void sender_names_confine(void)
{
	static const struct confine_path paths[] = {
		{ "/etc", CONFINE_READ }, { "/run", CONFINE_READ },
	};
	struct confined c;
	confine(paths, ARRAY_SIZE(paths), MAY_CONNECT | MAY_NETWORK, &c);
	if (privileges_keep(0) < 0)
		/* ignore this error: the process is confined even with its capabilities */
		return;
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
	s->pid = child_fork(SIGKILL);
	if (s->pid == 0) {
		/* close inherited sockets, which would keep their ports in use */
		close_all_but(pair[1], pair[1]);
		/*
		 * ignore Ctrl-C, which reaches all processes of a terminal: the parent ends this
		 * process
		 */
		signal(SIGINT, SIG_IGN);
		signal(SIGALRM, sender_names_on_alarm);
		sender_names_confine();
		sender_names_answer(pair[1], unmap);
		_exit(0);
	}
	close_fd(&pair[1]);
	s->fd = pair[0];
	if (s->pid < 0)
		close_fd(&s->fd);
	return s;
}

void sender_names_free(struct sender_names *s)
{
	if (!s)
		return;
	close_fd(&s->fd);
	/*
	 * Kill the process, because it may be waiting for a name server. If Landlock forbids the
	 * signal, the process notices the end of its parent.
	 */
	if (s->pid > 0 && kill(s->pid, SIGKILL) == 0)
		child_has_ended(s->pid, END_MS);
	map_free(&s->by_address);
	free(s);
}

static uint64_t sender_name_hash(const struct in6_addr *a)
{
	return map_hash((struct str){ (const char *)a->s6_addr, sizeof(a->s6_addr) });
}

static struct sender_name *sender_name_find(struct sender_names *s, const struct in6_addr *a)
{
	for (struct map_slot *at = NULL; (at = map_next(&s->by_address, sender_name_hash(a), at));)
		if (memcmp(&s->sender[at->value.n].address, a, sizeof(*a)) == 0)
			return &s->sender[at->value.n];
	return NULL;
}

static struct sender_name *sender_name_add(struct sender_names *s, const struct in6_addr *a)
{
	if (s->n == SENDERS_MAX) {
		map_clear(&s->by_address);
		s->n = 0;
	}
	struct sender_name *new = &s->sender[s->n];
	*new = (struct sender_name){ .address = *a };
	map_add(&s->by_address, sender_name_hash(a), (union map_value){ .n = s->n++ });
	return new;
}

/* Read answers. Returns false if none arrives within timeout_ms. */
static bool sender_names_read_answers(struct sender_names *s, int timeout_ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	struct name_question q;
	if (poll(&p, 1, timeout_ms) <= 0)
		return false;
	while (recv(s->fd, &q, sizeof(q), MSG_DONTWAIT) == (ssize_t)sizeof(q)) {
		struct sender_name *one = sender_name_find(s, &q.who.sin6_addr);
		s->waiting -= s->waiting > 0;
		s->slow &= !one || time(NULL) - one->looked_up_at > 1;
		if (one && q.name[0])
			str_copy(one->text, sizeof(one->text), str_of(q.name));
	}
	return true;
}

static void sender_name_ask(struct sender_names *s, struct sender_name *one,
			    const struct sockaddr_in6 *from)
{
	struct name_question q = { .who = *from };
	bool idle = s->waiting == 0;
	one->looked_up_at = time(NULL);
	if (s->fd < 0)
		return;
	if (send(s->fd, &q, sizeof(q), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		one->looked_up_at -= REFRESH_S - RETRY_S;
		return;
	}
	s->waiting++;
	if (idle && !s->slow)
		s->slow = !sender_names_read_answers(s, WAIT_MS);
}

/* Format an address as XRootD does, such as "[::ffff:192.0.2.1]". */
static void sender_format_address(char *to, const struct in6_addr *a)
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
		sender_names_read_answers(s, 0);
	struct sender_name *one = sender_name_find(s, &from->sin6_addr);
	if (!one) {
		one = sender_name_add(s, &from->sin6_addr);
		sender_format_address(one->text, &from->sin6_addr);
		sender_name_ask(s, one, from);
	} else if (time(NULL) - one->looked_up_at > REFRESH_S) {
		sender_name_ask(s, one, from);
	}
	return str_of(one->text);
}
