/* SPDX-License-Identifier: BSD-3-Clause */
/* sender.h - what is opened, read and written, to a receiver of XRootD's detailed monitoring */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include "tracers/files/accesses.h"
#include "tracers/files/nodes.h"

/*
 * Threads that serve requests only count and encode; one of its own sends, so that nobody waits for
 * a network. A record that finds no room then is dropped and counted, as UDP itself would.
 */
struct sender {
	pthread_mutex_t lock;
	pthread_cond_t ending_too;
	pthread_t thread;
	int fd;
	struct accesses of;
	struct buf waiting;		/* datagrams, each after its length as a size_t */
	bool ending, refused;
	uint64_t sent, lost;		/* datagrams */
	void (*failed)(int error);	/* a datagram could not be sent: the first one */
};

/* where: "HOST:PORT", "[::1]:9931". 0, or -errno and *why. */
int sender_start(struct sender *s, const char *where, void (*failed)(int error),
		 const char **why) MUST_CHECK;

/* An open or creat that succeeded, with who asked for it and the path. */
void sender_opened(struct sender *s, struct handle *h, const struct event *e);
void sender_read(struct sender *s, const struct handle *h, uint64_t bytes);
void sender_written(struct sender *s, const struct handle *h, uint64_t bytes);
void sender_closed(struct sender *s, struct handle *h);

void sender_end(struct sender *s);	/* sends what waits */
