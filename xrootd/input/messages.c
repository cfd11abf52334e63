/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c - read the messages of xrootd-monitoring-shoveler, one per line */
#include "xrootd/input/messages.h"

#include <errno.h>
#include <unistd.h>
#include "base/clock.h"

#define READ_BYTES 65536

static void messages_read_line(struct messages_in *m, struct str line,
			       const struct xrd_datagrams *to)
{
	struct shoveled from;
	line = str_trim(line);
	if (!line.n && !m->skips)
		return;
	if (m->again && str_eq(line, MESSAGES_AGAIN)) {
		m->again(m->again_arg);
		return;
	}
	m->n++;
	if (m->skips || shoveler_read(line, &from, &m->datagram) < 0) {
		m->bad++;
		return;
	}
	const struct xrd_source source = message_source(&from);
	int64_t now = realtime_us();
	bool earlier = m->timed && from.usec && from.usec < now;
	to->take(to->arg, &source, buf_str(&m->datagram), earlier ? from.usec : now);
}

static void messages_keep_part(struct messages_in *m, struct str part)
{
	m->skips = m->skips || m->line.n + part.n > MESSAGE_MAX;
	if (m->skips)
		m->line.n = 0;
	else
		buf_add(&m->line, part);
}

void messages_end(struct messages_in *m, const struct xrd_datagrams *to)
{
	messages_read_line(m, buf_str(&m->line), to);
	m->line.n = 0;
	m->skips = false;
}

void messages_add(struct messages_in *m, struct str bytes, const struct xrd_datagrams *to)
{
	struct str line;
	while (str_take_until(&bytes, '\n', &line)) {
		messages_keep_part(m, line);
		messages_end(m, to);
	}
	messages_keep_part(m, bytes);
}

int messages_read(struct messages_in *m, int fd, const struct xrd_datagrams *to)
{
	char bytes[READ_BYTES];
	ssize_t n = read(fd, bytes, sizeof(bytes));
	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (n == 0)
		messages_end(m, to);
	else
		messages_add(m, (struct str){ bytes, (size_t)n }, to);
	return n > 0;
}

void messages_free(struct messages_in *m)
{
	buf_free(&m->line);
	buf_free(&m->datagram);
}
