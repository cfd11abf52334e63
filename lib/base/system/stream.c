/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - whole messages through a socket pair */
#include "base/system/stream.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include "base/clock.h"

/* The call is tried first: most of the time there is no need to wait. */
static int wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };
	int64_t left = deadline_ns - monotonic_ns();
	int ms = deadline_ns == INT64_MAX ? -1 : left > 0 ? (int)(left / 1000000) + 1 : 0;
	int r = poll(&p, 1, ms);
	if (r < 0)
		return errno == EINTR ? 0 : -errno;
	return r > 0 ? 0 : -ETIMEDOUT;
}

/* How many bytes, 0: none yet, or -errno. */
static ssize_t after(ssize_t done, int fd, short events, int64_t deadline_ns)
{
	if (done >= 0 || errno == EINTR)
		return done > 0 ? done : 0;
	return errno == EAGAIN ? wait_for(fd, events, deadline_ns) : -errno;
}

/* Takes the first done bytes off the parts that are still to be sent. */
static void pass(struct msghdr *m, size_t done)
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
	for (pass(&m, 0); m.msg_iovlen; ) {
		ssize_t done = sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
		done = after(done, fd, POLLOUT, deadline_ns);
		if (done < 0)
			return (int)done;
		pass(&m, (size_t)done);
	}
	return 0;
}

int stream_send(int fd, const void *p, size_t n, int64_t deadline_ns)
{
	struct iovec all = { (void *)p, n };
	return stream_send_parts(fd, &all, 1, deadline_ns);
}

static ssize_t receive(int fd, void *p, size_t least, size_t most, int flags, int64_t deadline_ns)
{
	size_t n = 0;
	while (n < least) {
		ssize_t got = recv(fd, (char *)p + n, most - n, flags);
		if (got == 0)
			return -EPIPE;
		got = after(got, fd, POLLIN, deadline_ns);
		if (got < 0)
			return got;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

/* Without a deadline the call itself waits. */
int stream_receive(int fd, void *p, size_t n, int64_t deadline_ns)
{
	int flags = deadline_ns == INT64_MAX ? 0 : MSG_DONTWAIT;
	ssize_t got = receive(fd, p, n, n, flags, deadline_ns);
	return got < 0 ? (int)got : 0;
}

int stream_receive_timed(int fd, void *p, size_t n, int64_t deadline_ns)
{
	ssize_t got = receive(fd, p, n, n, 0, deadline_ns);
	return got < 0 ? (int)got : 0;
}

ssize_t stream_receive_least(int fd, void *p, size_t least, size_t most)
{
	return receive(fd, p, least, most, 0, INT64_MAX);
}
