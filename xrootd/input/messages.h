/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h - read the shoveler's messages, one per line, from pieces of a file or pipe */
#pragma once

#include "base/buf.h"
#include "formats/xrootd/shoveler.h"
#include "xrootd/input/xrd_capture.h"

#define MESSAGES_AGAIN STR("=")
/* longest message in bytes; a datagram of 64 KB takes 88 KB as a message */
#define MESSAGE_MAX (128u << 10)

/* All zero is a valid empty state. */
struct messages_in {
	struct buf line;		/* the incomplete line at the end */
	struct buf datagram;
	bool timed;			/* take the time in a message as the time of arrival */
	bool skips;			/* the current line is too long and is skipped */
	uint64_t n, bad;		/* n: lines; bad: lines without a valid message */
	/*
	 * Called for a line MESSAGES_AGAIN, which announces that the following messages may have
	 * been delivered before. The line is not counted. If this is NULL, the line counts as a bad
	 * message.
	 */
	void (*again)(void *arg);
	void *again_arg;
};

/* Get the source that a message names. The text of a name is borrowed from the message. */
static inline struct xrd_source message_source(const struct shoveled *m)
{
	return (struct xrd_source){ m->address, m->port, *m->name ? m->name : NULL };
}

/* Deliver the datagrams of all lines that end in these bytes. Empty lines are ignored. */
void messages_add(struct messages_in *m, struct str bytes, const struct xrd_datagrams *to);

void messages_end(struct messages_in *m, const struct xrd_datagrams *to);

/* Add the bytes of one read(2). Returns 1; 0 at the end; -EAGAIN if nothing arrived; or -errno. */
int messages_read(struct messages_in *m, int fd, const struct xrd_datagrams *to) MUST_CHECK;
void messages_free(struct messages_in *m);
