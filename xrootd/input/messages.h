/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.h - read the messages of xrootd-monitoring-shoveler, one per line */
#pragma once

#include "base/buf.h"
#include "formats/xrootd/shoveler.h"
#include "xrootd/input/xrd_capture.h"

#define MESSAGES_AGAIN STR("=")
/* maximum size of a message in bytes; a datagram of 64 KB takes 88 KB */
#define MESSAGE_MAX (128u << 10)

/* A reader of messages. All zero is a valid initial state. */
struct messages_in {
	struct buf line;		/* the incomplete line at the end */
	struct buf datagram;
	bool timed;			/* use the time in a message as its time of arrival */
	bool skips;			/* the current line is too long and is skipped */
	uint64_t n, bad;		/* number of lines; lines without a valid message */
	/*
	 * Called for a line MESSAGES_AGAIN, which announces that the following messages may have
	 * been delivered before. The line is not counted. If this is NULL, the line counts as a bad
	 * message.
	 */
	void (*again)(void *arg);
	void *again_arg;
};

/* Get the source of the datagram in a message. A name is borrowed from the message. */
static inline struct xrd_source message_source(const struct shoveled *m)
{
	return (struct xrd_source){ m->address, m->port, *m->name ? m->name : NULL };
}

/*
 * Make a line of a message, so that messages_add() counts it as one message. A message that is
 * empty or equals MESSAGES_AGAIN becomes "-", which counts as bad.
 */
static inline void message_make_line(struct buf *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->p[i] == '\n')
			m->p[i] = ' ';
	struct str text = str_trim(buf_str(m));
	if (!text.n || str_eq(text, MESSAGES_AGAIN)) {
		m->n = 0;
		buf_add_char(m, '-');
	}
	buf_add_char(m, '\n');
}

/* Add bytes of input, and deliver the datagrams of all lines that are complete now. */
void messages_add(struct messages_in *m, struct str bytes, const struct xrd_datagrams *to);

void messages_end(struct messages_in *m, const struct xrd_datagrams *to);

/* Call read(2) once and add the bytes. Returns 1; 0 at the end; -EAGAIN without data; or -errno. */
int messages_read(struct messages_in *m, int fd, const struct xrd_datagrams *to) MUST_CHECK;
void messages_free(struct messages_in *m);
