/* SPDX-License-Identifier: BSD-3-Clause */
/* sockets.c - read TCP sockets through sock_diag(7) with libmnl */
#include "base/system/sockets.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "base/vec.h"

#ifdef HAVE_MNL
#include <libmnl/libmnl.h>

/*
 * Size of the receive buffer. It must never change: the kernel makes the parts of an answer as
 * large as the largest buffer used so far. With a smaller buffer afterwards, three of four sockets
 * were lost silently.
 */
#define PART_BYTES (64u << 10)
#define ENDS_BUFFER (4 << 20)	/* kernel buffer for notifications of closed sockets */

/* INET_DIAG_CGROUP_ID of uapi/linux/inet_diag.h, since Linux 5.8 */
#define DIAG_CGROUP_ID 21

struct sockets {
	struct mnl_socket *nl;
	uint32_t sequence;
	void (*take)(void *arg, const struct socket_seen *s);
	void *arg;
	bool interrupted;
	union {
		struct nlmsghdr align;
		char part[PART_BYTES];
	};
};

static int sockets_open_groups(struct sockets **ret, unsigned groups)
{
	struct sockets *s = xrealloc(NULL, sizeof(*s));

	memset(s, 0, offsetof(struct sockets, part));
	s->nl = mnl_socket_open2(NETLINK_SOCK_DIAG, SOCK_CLOEXEC | (groups ? SOCK_NONBLOCK : 0));
	if (s->nl && mnl_socket_bind(s->nl, groups, MNL_SOCKET_AUTOPID) == 0) {
		*ret = s;
		return 0;
	}
	int e = -errno;
	sockets_free(s);
	return e;
}

int sockets_open(struct sockets **ret)
{
	return sockets_open_groups(ret, 0);
}

int sockets_open_ends(struct sockets **ret)
{
	int size = ENDS_BUFFER;
	int r = sockets_open_groups(ret, 1u << (SKNLGRP_INET_TCP_DESTROY - 1) |
				    1u << (SKNLGRP_INET6_TCP_DESTROY - 1));
	if (r == 0 && setsockopt(sockets_fd(*ret), SOL_SOCKET, SO_RCVBUFFORCE, &size,
				 sizeof(size)) < 0)
		(void)setsockopt(sockets_fd(*ret), SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return r;
}

void sockets_free(struct sockets *s)
{
	if (s && s->nl)
		mnl_socket_close(s->nl);
	free(s);
}

int sockets_fd(const struct sockets *s)
{
	return mnl_socket_get_fd(s->nl);
}

static void sockets_take_address(unsigned char to[16], uint8_t family, const __be32 *from)
{
	static const unsigned char mapped[12] = { [10] = 0xff, 0xff };
	if (family == AF_INET6) {
		memcpy(to, from, 16);
		return;
	}
	memcpy(to, mapped, sizeof(mapped));
	memcpy(to + sizeof(mapped), from, 4);
}

static int sockets_take_attribute(const struct nlattr *a, void *arg)
{
	struct socket_seen *s = arg;
	const char *p = mnl_attr_get_payload(a);
	size_t n = mnl_attr_get_payload_len(a);
	uint32_t memory[SK_MEMINFO_WMEM_QUEUED + 1];

	switch (mnl_attr_get_type(a)) {
	case INET_DIAG_INFO:
		s->facts_n = n < sizeof(s->facts) ? n : sizeof(s->facts);
		memcpy(&s->facts, p, s->facts_n);
		break;
	case INET_DIAG_SKMEMINFO:
		s->has_memory = n >= sizeof(memory);
		if (s->has_memory) {
			memcpy(memory, p, sizeof(memory));
			s->sndbuf = memory[SK_MEMINFO_SNDBUF];
			s->wmem_queued = memory[SK_MEMINFO_WMEM_QUEUED];
		}
		break;
	case DIAG_CGROUP_ID:
		if (n >= sizeof(s->cgroup))
			memcpy(&s->cgroup, p, sizeof(s->cgroup));
		break;
	}
	return MNL_CB_OK;
}

static int sockets_take_message(const struct nlmsghdr *h, void *arg)
{
	struct sockets *to = arg;
	const struct inet_diag_msg *m = mnl_nlmsg_get_payload(h);
	struct socket_seen s;

	to->interrupted |= h->nlmsg_flags & NLM_F_DUMP_INTR;
	if (mnl_nlmsg_get_payload_len(h) < sizeof(*m))
		return MNL_CB_OK;
	memset(&s, 0, sizeof(s));
	s.family = m->idiag_family;
	s.state = m->idiag_state;
	s.lport = ntohs(m->id.idiag_sport);
	s.rport = ntohs(m->id.idiag_dport);
	sockets_take_address(s.laddr, s.family, m->id.idiag_src);
	sockets_take_address(s.raddr, s.family, m->id.idiag_dst);
	s.cookie = (uint64_t)m->id.idiag_cookie[1] << 32 | m->id.idiag_cookie[0];
	s.inode = m->idiag_inode;
	s.rqueue = m->idiag_rqueue;
	s.wqueue = m->idiag_wqueue;
	mnl_attr_parse(h, sizeof(*m), sockets_take_attribute, &s);
	/* sockets in SYN_RECV, or in TIME_WAIT but reported as FIN_WAIT2, have no counters */
	if (s.facts_n)
		to->take(to->arg, &s);
	return MNL_CB_OK;
}

/* Receive a part of the kernel's answer, and never truncate it. Returns its size or -errno. */
static ssize_t sockets_receive(struct sockets *s)
{
	struct iovec iov = { s->part, sizeof(s->part) };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	do {
		n = recvmsg(sockets_fd(s), &m, 0);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : m.msg_flags & MSG_TRUNC ? -EMSGSIZE : n;
}

static struct inet_diag_req_v2 *sockets_put_request(struct sockets *s, unsigned flags,
						    uint8_t family, bool memory)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(s->part);
	h->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	h->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	h->nlmsg_seq = ++s->sequence;
	struct inet_diag_req_v2 *r = mnl_nlmsg_put_extra_header(h, sizeof(*r));
	r->sdiag_family = family;
	r->sdiag_protocol = IPPROTO_TCP;
	r->idiag_ext = 1 << (INET_DIAG_INFO - 1) |
		       (memory ? 1 << (INET_DIAG_SKMEMINFO - 1) : 0);
	return r;
}

static int sockets_send_request(struct sockets *s)
{
	const struct nlmsghdr *h = (const struct nlmsghdr *)s->part;
	return mnl_socket_sendto(s->nl, h, h->nlmsg_len) < 0 ? -errno : 0;
}

static int sockets_request_dump(struct sockets *s, uint8_t family, bool memory)
{
	struct inet_diag_req_v2 *r = sockets_put_request(s, NLM_F_DUMP, family, memory);
	r->idiag_states = (1u << SOCKET_NEW_SYN) - 2 - (1u << SOCKET_TIME_WAIT) -
			  (1u << SOCKET_CLOSE) - (1u << SOCKET_LISTEN);
	return sockets_send_request(s);
}

/*
 * Take the error (0 or -errno) of the last message of a dump. A dump that fails after its start
 * ends with NLMSG_DONE, too (net/netlink/af_netlink.c, netlink_dump_done()), but libmnl ignores the
 * error in that message.
 */
static int sockets_take_end(const struct nlmsghdr *h, void *arg)
{
	int32_t e = 0;
	(void)arg;
	if (mnl_nlmsg_get_payload_len(h) >= sizeof(e))
		memcpy(&e, mnl_nlmsg_get_payload(h), sizeof(e));
	if (e >= 0)
		return MNL_CB_STOP;
	errno = -e;
	return MNL_CB_ERROR;
}

static int sockets_dump_family(struct sockets *s, uint8_t family, bool memory)
{
	/* not const, because mnl_cb_run2() of libmnl 1.0.4 takes no const array */
	static mnl_cb_t ends[] = {
		[NLMSG_ERROR] = sockets_take_end, [NLMSG_DONE] = sockets_take_end,
	};
	int more = sockets_request_dump(s, family, memory);

	while (more >= 0) {
		ssize_t n = sockets_receive(s);
		if (n < 0)
			return (int)n;
		more = mnl_cb_run2(s->part, (size_t)n, s->sequence,
				   mnl_socket_get_portid(s->nl), sockets_take_message, s,
				   ends, ARRAY_SIZE(ends));
		if (more < 0)
			return -errno;
		if (more == MNL_CB_STOP)
			return 0;
	}
	return more;
}

int sockets_dump(struct sockets *s, bool memory,
		 void (*take)(void *arg, const struct socket_seen *s), void *arg)
{
	s->take = take;
	s->arg = arg;
	s->interrupted = false;
	int r = sockets_dump_family(s, AF_INET, memory);
	if (r < 0)
		return r;
	r = sockets_dump_family(s, AF_INET6, memory);
	if (r < 0 && r != -ENOENT)	/* -ENOENT: a kernel without IPv6 */
		return r;
	return s->interrupted ? -EINTR : 0;
}

static void sockets_put_address(__be32 *to, uint8_t family, const unsigned char from[16])
{
	if (family == AF_INET6)
		memcpy(to, from, 16);
	else
		memcpy(to, from + 12, 4);
}

int sockets_find(struct sockets *s, const struct socket_ends *ends,
		 void (*take)(void *arg, const struct socket_seen *s), void *arg)
{
	struct inet_diag_req_v2 *r = sockets_put_request(s, 0, ends->family, true);

	r->id.idiag_sport = htons(ends->lport);
	r->id.idiag_dport = htons(ends->rport);
	sockets_put_address(r->id.idiag_src, ends->family, ends->laddr);
	sockets_put_address(r->id.idiag_dst, ends->family, ends->raddr);
	r->id.idiag_cookie[0] = r->id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	s->take = take;
	s->arg = arg;
	ssize_t n = sockets_send_request(s);
	if (n == 0)
		n = sockets_receive(s);
	if (n >= 0)
		n = mnl_cb_run(s->part, (size_t)n, s->sequence, mnl_socket_get_portid(s->nl),
			       sockets_take_message, s) < 0 ? -errno : 0;
	return (int)n;
}

int sockets_ends(struct sockets *s, void (*take)(void *arg, const struct socket_seen *s), void *arg)
{
	bool lost = false;

	s->take = take;
	s->arg = arg;
	for (;;) {
		ssize_t n = sockets_receive(s);
		if (n == -EAGAIN)
			return lost ? -ENOBUFS : 0;
		lost |= n == -ENOBUFS || n == -EMSGSIZE;
		if (n < 0 && !lost)
			return (int)n;
		if (n > 0)
			(void)mnl_cb_run(s->part, (size_t)n, 0, 0, sockets_take_message, s);
	}
}
#else

int sockets_open(struct sockets **ret)
{
	(void)ret;
	return -ENOTSUP;
}

int sockets_open_ends(struct sockets **ret)
{
	(void)ret;
	return -ENOTSUP;
}

void sockets_free(struct sockets *s)
{
	(void)s;
}

int sockets_fd(const struct sockets *s)
{
	(void)s;
	return -1;
}

int sockets_dump(struct sockets *s, bool memory,
		 void (*take)(void *arg, const struct socket_seen *s), void *arg)
{
	(void)s, (void)memory, (void)take, (void)arg;
	return -ENOTSUP;
}

int sockets_find(struct sockets *s, const struct socket_ends *ends,
		 void (*take)(void *arg, const struct socket_seen *s), void *arg)
{
	(void)s, (void)ends, (void)take, (void)arg;
	return -ENOTSUP;
}

int sockets_ends(struct sockets *s, void (*take)(void *arg, const struct socket_seen *s), void *arg)
{
	(void)s, (void)take, (void)arg;
	return -ENOTSUP;
}
#endif
