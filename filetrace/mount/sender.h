/* SPDX-License-Identifier: BSD-3-Clause */
/* sender.h - send file accesses to a receiver of XRootD's detailed monitoring */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include "filetrace/accesses.h"
#include "filetrace/nodes.h"

/*
 * The threads that serve requests only count accesses and queue datagrams. A separate thread sends,
 * so that no request waits for the network. Datagrams that do not fit in the queue are dropped and
 * counted.
 */
struct xrootd_sender {
	pthread_mutex_t lock;
	pthread_cond_t ending_too;
	pthread_t thread;
	int fd;
	struct accesses of;
	/* queued datagrams, each preceded by its length as a size_t */
	struct buf waiting;
	bool ending, refused;
	uint64_t sent, lost;		/* number of datagrams sent; number lost */
	void (*failed)(int error);	/* called for the first datagram that cannot be sent */
};

/*
 * Start the sending thread. `where` is "HOST:PORT" or "[::1]:9931". Returns 0, or -errno with *why
 * set.
 */
int sender_start(struct xrootd_sender *s, const char *where, void (*failed)(int error),
		 const char **why) MUST_CHECK;

/* Report a successful open or creat. e has the caller, the path, and the file's size. */
void sender_opened(struct xrootd_sender *s, struct handle *h, const struct event *e);
void sender_read(struct xrootd_sender *s, const struct handle *h, uint64_t bytes);
void sender_written(struct xrootd_sender *s, const struct handle *h, uint64_t bytes);
void sender_closed(struct xrootd_sender *s, struct handle *h);

void sender_end(struct xrootd_sender *s);	/* send the queued datagrams and end the thread */
