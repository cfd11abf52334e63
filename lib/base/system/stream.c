/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - send and receive whole messages through a socket pair */
#include "base/system/stream.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include "base/clock.h"

/*
 * Wait until fd is ready. Call this only after a send or receive failed, because usually no wait is
 * needed.
 */
static int stream_wait_ready(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };
	int64_t left = deadline_ns - monotonic_ns();
	int ms = deadline_ns == INT64_MAX ? -1 : left > 0 ? (int)(left / 1000000) + 1 : 0;
	int r = poll(&p, 1, ms);
	if (r < 0)
		return errno == EINTR ? 0 : -errno;
	return r > 0 ? 0 : -ETIMEDOUT;
}

bool stream_is_closed(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };
	return poll(&p, 1, 0) > 0;
}

/* Return the number of bytes of a send or receive call, 0 after waiting for fd, or -errno. */
static ssize_t stream_result(ssize_t done, int fd, short events, int64_t deadline_ns)
{
	if (done >= 0 || errno == EINTR)
		return done > 0 ? done : 0;
	return errno == EAGAIN ? stream_wait_ready(fd, events, deadline_ns) : -errno;
}

/* Remove the first `done` bytes, which were sent, from the message. */
static void stream_skip_sent(struct msghdr *m, size_t done)
{
	while (m->msg_iovlen && done >= m->msg_iov->iov_len) {
		done -= m->msg_iov->iov_len;
		m->msg_iov++;
		m->msg_iovlen--;
	}
	if (!m->msg_iovlen)
		return;
	m->msg_iov->iov_base = (char *)m->msg_iov->iov_base + done;
	m->msg_iov->iov_len -= done;
}

int stream_send_parts(int fd, struct iovec *part, size_t n, int64_t deadline_ns)
{
	struct msghdr m = { .msg_iov = part, .msg_iovlen = n };
	for (stream_skip_sent(&m, 0); m.msg_iovlen; ) {
		ssize_t done = sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
		done = stream_result(done, fd, POLLOUT, deadline_ns);
		if (done < 0)
			return (int)done;
		stream_skip_sent(&m, (size_t)done);
	}
	return 0;
}

int stream_send(int fd, const void *p, size_t n, int64_t deadline_ns)
{
	struct iovec all = { (void *)p, n };
	return stream_send_parts(fd, &all, 1, deadline_ns);
}

static ssize_t stream_receive_between(int fd, void *p, size_t least, size_t most, int flags,
				      int64_t deadline_ns)
{
	size_t n = 0;
	while (n < least) {
		ssize_t got = recv(fd, (char *)p + n, most - n, flags);
		if (got == 0)
			return -EPIPE;
		got = stream_result(got, fd, POLLIN, deadline_ns);
		if (got < 0)
			return got;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

/* If there is no deadline, recv(2) itself waits for data. */
int stream_receive(int fd, void *p, size_t n, int64_t deadline_ns)
{
	int flags = deadline_ns == INT64_MAX ? 0 : MSG_DONTWAIT;
	ssize_t got = stream_receive_between(fd, p, n, n, flags, deadline_ns);
	return got < 0 ? (int)got : 0;
}

int stream_receive_timed(int fd, void *p, size_t n, int64_t deadline_ns)
{
	ssize_t got = stream_receive_between(fd, p, n, n, 0, deadline_ns);
	return got < 0 ? (int)got : 0;
}

ssize_t stream_receive_least(int fd, void *p, size_t least, size_t most)
{
	return stream_receive_between(fd, p, least, most, 0, INT64_MAX);
}
