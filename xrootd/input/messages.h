/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h - lines of the shoveler's messages, in pieces as they come from a file or a pipe */
#pragma once

#include "base/buf.h"
#include "tracers/xrootd/input/xrd_capture.h"

#define MESSAGE_MAX (128u << 10)	/* a datagram of 64 KB is 88 KB there */

/* All zero is a valid empty one. */
struct messages_in {
	struct buf line;		/* whose end has not come */
	struct buf datagram;
	bool timed;			/* a message's own time is that of arrival */
	bool skips;			/* the line is too long for a message */
	uint64_t n, bad;		/* lines; lines that are no message */
};

/* The datagrams of all lines that end in these bytes; empty lines are nothing. */
void messages_add(struct messages_in *m, struct str bytes, const struct xrd_datagrams *to);

void messages_end(struct messages_in *m, const struct xrd_datagrams *to);

/* Adds the bytes of one read(2): 1, 0 at the end, or -errno; -EAGAIN where nothing has come. */
int messages_read(struct messages_in *m, int fd, const struct xrd_datagrams *to) MUST_CHECK;
void messages_free(struct messages_in *m);
