/* SPDX-License-Identifier: BSD-3-Clause */
/* rogue.h - simulate peers and files whose bytes are changed, truncated, repeated or invented */
#pragma once

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/str.h"
#include "tests/unit/test.h"

#define PIECES_MAX 16
#define PIECE_MAX  2048
/* ms without data after which a client is assumed to wait for data that will not come */
#define STUCK_MS   30

/* Memory shared by the peer processes and the test. */
struct rogue {
	unsigned wanted;		/* number of sessions to run, from $SESSIONS */
	volatile unsigned sessions;	/* number of sessions that the peer has finished */
	volatile int port;		/* port of the real broker, for a peer that relays to it */
};

static inline struct rogue *rogue_new(void)
{
	const char *asked = getenv("SESSIONS");
	struct str text = str_of(asked ? asked : "20");
	uint64_t wanted = 0;
	struct rogue *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(r != MAP_FAILED);
	assert_true(str_take_u64(&text, &wanted) && wanted > 0 && wanted < 1000000000);
	r->wanted = (unsigned)wanted;
	signal(SIGPIPE, SIG_IGN);
	return r;
}

/* Return the next number of a xorshift generator, so that every run has the same sessions. */
static inline uint32_t chance(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Change, repeat or remove some of the *n bytes at p, a buffer of `size` bytes, and update *n. */
static inline void mutate(char *p, size_t *n, size_t size, uint32_t *seed)
{
	static const unsigned char odd[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff, '\r', '\n' };
	size_t at = *n ? chance(seed) % *n : 0, some = 1 + chance(seed) % 8;
	some = some < *n - at ? some : *n - at;
	switch (chance(seed) % 6) {
	case 0:
		for (size_t i = 0; i < some; i++)
			p[at + i] ^= (char)(1u << chance(seed) % 8);
		break;
	case 1:
		for (size_t i = 0; i < some; i++)
			p[at + i] = (char)chance(seed);
		break;
	case 2:	/* write values that lengths and counts rarely have */
		memset(p + at, odd[chance(seed) % sizeof(odd)], some < 4 ? some : 4);
		break;
	case 3:
		*n = at;
		break;
	case 4:	/* repeat some bytes */
		if (*n + some <= size) {
			memmove(p + at + some, p + at, *n - at);
			*n += some;
		}
		break;
	case 5:
		memmove(p + at, p + at + some, *n - at - some);
		*n -= some;
		break;
	}
}

/*
 * With a chance of 1 in 4, change the *n bytes at p in up to three places. Returns true if they
 * were changed.
 */
static inline bool mutate_some(char *p, size_t *n, size_t size, uint32_t *seed)
{
	if (chance(seed) % 4)
		return false;
	for (uint32_t i = 1 + chance(seed) % 3; i-- > 0;)
		mutate(p, n, size, seed);
	return true;
}

static inline void send_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);
		if (sent <= 0)
			return;
		p += sent;
		n -= (size_t)sent;
	}
}

/*
 * Wait up to most_ms for data, and discard what one recv() returns. Returns false if no data came.
 */
static inline bool hear(int fd, int most_ms)
{
	char away[65536];
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	return poll(&ready, 1, most_ms) > 0 && recv(fd, away, sizeof(away), 0) > 0;
}

/*
 * Receive one HTTP request with its body, and store it as a string in text. Returns its length, or
 * 0 if the client closed the connection.
 */
static inline size_t take_request(int fd, char *text, size_t size)
{
	const char *body = NULL, *length = NULL;
	uint64_t more;
	size_t n = 0, wanted = size - 1;
	while (n < wanted) {
		ssize_t got = recv(fd, text + n, wanted - n, 0);
		if (got <= 0)
			return 0;
		n += (size_t)got;
		text[n] = '\0';
		body = strstr(text, "\r\n\r\n");
		length = strstr(text, "Content-Length: ");
		struct str number = str_of(length ? length + 16 : "");
		if (body)
			wanted = str_take_u64(&number, &more) ?
				 (size_t)(body + 4 - text) + more : n;
		assert_true(wanted < size);
	}
	return n;
}

static inline int listen_at_loopback(int type, in_port_t port, int *got)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = port };
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	if (type == SOCK_STREAM)
		assert_int_equal(listen(fd, 64), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	*got = ntohs(a.sin_port);
	return fd;
}

/*
 * Start a peer process that calls session() for each connection, with a new seed each time. Returns
 * its pid and stores its port.
 */
static inline pid_t begin_peer(struct rogue *shared, void (*session)(int fd, uint32_t seed),
			       int *port)
{
	int fd = listen_at_loopback(SOCK_STREAM, 0, port);
	shared->sessions = 0;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			int client = accept(fd, NULL, NULL);
			if (client >= 0)
				session(client, shared->sessions * 2654435761u + 1);
			close(client);
			shared->sessions++;
		}
	}
	close(fd);
	return pid;
}

static inline void end_peer(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Bytes that a peer sends. Numbers are big-endian. */
struct bytes {
	size_t n;
	char p[PIECE_MAX];
};

static inline void add_number(struct bytes *b, unsigned width, uint64_t v)
{
	while (width-- > 0)
		b->p[b->n++] = (char)(v >> 8 * width);
}

static inline void add_text(struct bytes *b, unsigned width, const char *text)
{
	add_number(b, width, strlen(text));
	memcpy(b->p + b->n, text, strlen(text));
	b->n += strlen(text);
}
