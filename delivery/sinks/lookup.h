/* SPDX-License-Identifier: BSD-3-Clause */
/* lookup.h - the addresses of a host, asked for by a process of its own: none waits for a name */
#pragma once

#include <netinet/in.h>
#include <sys/types.h>
#include "base/base.h"

#define LOOKUP_ADDRESSES_MAX 8
#define LOOKUP_MOST_S        60	/* then it is given up */

union lookup_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/* An answer of getaddrinfo(3); error is its own, 0 if there are addresses. */
struct lookup_answer {
	int error;
	size_t n;
	union lookup_address address[LOOKUP_ADDRESSES_MAX];
};

/* A question under way; all zero: none is. */
struct lookup {
	pid_t pid;
	int fd;
};

/* Where host is an address, no name, *a is filled at once, and 1 is returned. Else 0 or -errno. */
int lookup_start(struct lookup *l, const char *host, const char *port,
		 struct lookup_answer *a) MUST_CHECK;

/* Waits so long at most. 0: *a is the answer; -EAGAIN: there is none yet; -EIO: there is none. */
int lookup_take(struct lookup *l, int timeout_ms, struct lookup_answer *a) MUST_CHECK;

void lookup_cancel(struct lookup *l);
