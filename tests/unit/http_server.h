/* SPDX-License-Identifier: BSD-3-Clause */
/* http_server.h - an HTTP server that sends scripted answers and keeps the requests it received */
#pragma once

#include "tests/unit/rogue.h"

#define LOG_SIZE    (1u << 20)
#define TOO_MUCH    (3u << 20)	/* size of an answer that a client must refuse, in bytes */

#define GOOD "HTTP/1.1 204 No Content\r\n\r\n"
#define SAYS(status, more, n, text) \
	"HTTP/1.1 " status "\r\n" more "Content-Length: " #n "\r\n\r\n" text

/* Memory shared by the server's process and the test. */
struct log {
	unsigned requests, connections;
	size_t n;
	char p[LOG_SIZE];	/* text of all requests, in order */
};
static struct log *heard;
static struct rogue *shared;
/*
 * The server's answers to the requests, in order. The last answer is repeated. The empty answer ""
 * closes the connection.
 */
static const char *const *script;

static inline const char *next_answer(void)
{
	size_t i = 0;
	while (i < heard->requests && script[i + 1])
		i++;
	heard->requests++;
	return script[i];
}

/* Send TOO_MUCH bytes. The client must close the connection before the end. */
static inline void send_too_much(int fd)
{
	static char piece[65536];
	memset(piece, 'x', sizeof(piece));
	for (size_t n = 0; n < TOO_MUCH; n += sizeof(piece))
		send_all(fd, piece, sizeof(piece));
}

static inline void session(int fd, uint32_t seed)
{
	size_t got;
	(void)seed;
	heard->connections++;
	while ((got = take_request(fd, heard->p + heard->n, LOG_SIZE - heard->n)) > 0) {
		heard->n += got;
		const char *answer = next_answer();
		send_all(fd, answer, strlen(answer));
		if (strstr(answer, "endless"))
			send_too_much(fd);
		if (!answer[0] || strstr(answer, "Content-Length: 100\r\n"))
			return;
	}
}

struct server {
	pid_t pid;
	char url[64];
};

/* Start a server process that sends these answers in order. The list ends with NULL. */
static inline void serve(struct server *s, const char *const *answers)
{
	int port;
	script = answers;
	memset(heard, 0, offsetof(struct log, p) + heard->n);
	s->pid = begin_peer(shared, session, &port);
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%d", port);
}

static inline void assert_heard(const char *text)
{
	if (!memmem(heard->p, heard->n, text, strlen(text)))
		fail_msg("\"%s\" is not in %.*s", text, (int)heard->n, heard->p);
}

/* Return the body of the first request and all that was received after it. */
static inline struct str body_heard(void)
{
	const char *body = memmem(heard->p, heard->n, "\r\n\r\n", 4);
	assert_non_null(body);
	return (struct str){ body + 4, (size_t)(heard->p + heard->n - body - 4) };
}

/* Map the memory that the server processes and the test share. */
static inline void http_server_begin(void)
{
	shared = rogue_new();
	heard = mmap(NULL, sizeof(*heard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	assert_true(heard != MAP_FAILED);
}
