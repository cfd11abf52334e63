/* SPDX-License-Identifier: BSD-3-Clause */
/* lookup.h - resolve a hostname in a child process, so that the caller never waits for DNS */
#pragma once

#include <netinet/in.h>
#include <sys/types.h>
#include "base/base.h"

#define LOOKUP_ADDRESSES_MAX 8
#define LOOKUP_TIMEOUT_S     60	/* timeout of a lookup, in seconds */

union lookup_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/* An answer of getaddrinfo(3). `error` is a code of getaddrinfo(3), or 0 if there are addresses. */
struct lookup_answer {
	int error;
	size_t n;
	union lookup_address address[LOOKUP_ADDRESSES_MAX];
};

/* A lookup in progress. All zero is valid and means that there is none. */
struct lookup {
	pid_t pid;
	int fd;
};

/*
 * Start a lookup of host and port. Returns 1 and fills *a at once if host is a numeric address; 0
 * if the lookup has started; or -errno.
 */
int lookup_start(struct lookup *l, const char *host, const char *port,
		 struct lookup_answer *a) MUST_CHECK;

/*
 * Wait up to timeout_ms for the answer. Returns 0 and fills *a; -EAGAIN if the lookup is still in
 * progress; or -EIO if it has failed.
 */
int lookup_take(struct lookup *l, int timeout_ms, struct lookup_answer *a) MUST_CHECK;

void lookup_cancel(struct lookup *l);
