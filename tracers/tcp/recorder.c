/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.c - snapshots of all TCP connections at an interval, and of those that close */
#include "tracers/tcp/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "tracers/tcp/job_groups.h"
#include "tracers/tcp/tracepoints.h"

/* How much of tcp_info this kernel has: it fills that of any socket. */
static size_t facts_of_kernel(void)
{
	struct tcp_facts facts;
	socklen_t n = sizeof(facts);
	int fd CLEANUP(close_fd) = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd >= 0 && getsockopt(fd, IPPROTO_TCP, TCP_INFO, &facts, &n) == 0 ? n : 0;
}

static bool kernel_has_sack(void)
{
	struct str text;
	struct buf b CLEANUP(buf_free) = { 0 };
	int fd CLEANUP(close_fd) = open("/proc/sys/net/ipv4/tcp_sack", O_RDONLY | O_CLOEXEC);
	return fd < 0 || files_read_fd(fd, FILE_RECORDS, &b, &text) < 0 || str_peek(text) != '0';
}

int tcp_recorder_open(struct tcp_recorder *r, const char *path, size_t ring)
{
	int e = sockets_open(&r->dump);
	if (e == -ENOTSUP)
		log_error("built without libmnl, by which the kernel is asked for its sockets");
	else if (e < 0)
		log_error("sock_diag: %s", strerror(-e));
	if (e < 0)
		return e;

	e = sockets_open_ends(&r->ends);
	if (e < 0)
		log_warning("last values of connections that close are not recorded: %s%s",
			    strerror(-e), e == -EPERM ? " (it takes CAP_NET_ADMIN)" : "");
	r->sockstat = open("/proc/net/sockstat", O_RDONLY | O_CLOEXEC);
	snapshots_init(&r->s, facts_of_kernel(), kernel_has_sack());
	e = output_open(&r->out, &r->s, path, ring);
	if (e < 0)
		log_error("%s: %s", path, strerror(-e));
	return e;
}

void tcp_recorder_close(struct tcp_recorder *r)
{
	sockets_free(r->dump);
	sockets_free(r->ends);
	close_fd(&r->sockstat);
	connections_free(&r->c);
	output_free(&r->out);
	job_groups_free(r->job);
	tracepoints_free(r->events);
	free(r->only.p);
}

/* "TCP: inuse 5 orphan 0 tw 2 alloc 7 mem 3": pages, of the whole system (net/ipv4/proc.c) */
static void read_clusters(struct tcp_recorder *r)
{
	char bytes[1024];
	ssize_t n = r->sockstat < 0 ? -1 : pread(r->sockstat, bytes, sizeof(bytes), 0);
	struct str text = { bytes, n > 0 ? (size_t)n : 0 }, line, word;

	r->clusters_known = false;
	while (str_take_line(&text, &line)) {
		if (!str_take_prefix(&line, STR("TCP:")))
			continue;
		while (str_take_word(&line, &word))
			if (str_eq(word, STR("mem")))
				r->clusters_known = str_take_u64(&line, &r->clusters);
	}
}

bool tcp_recorder_wants(const struct tcp_recorder *r, const struct socket_seen *s)
{
	return s->rport && ports_wanted(&r->only, (struct ports){ s->lport, s->rport }) &&
	       (!r->job || job_groups_has(r->job, s));
}

void tcp_recorder_put(struct tcp_recorder *r, struct known *k, enum pm_location at,
		      uint32_t value, int64_t usec)
{
	snapshot_stamp(&r->s, k, at, value, usec);
	output_put(&r->out, k);
}

static void take_polled(void *arg, const struct socket_seen *s)
{
	struct tcp_recorder *r = arg;
	if (!tcp_recorder_wants(r, s))
		return;
	struct known *k = connections_get(&r->c, s);
	if (k->seen)
		return;		/* a second time in one dump, in which the list changed */
	k->seen = true;
	snapshot_take(&r->s, k, s);
	if (r->clusters_known)
		snapshot_set(&r->s, k, PM_M_CLUSED, r->clusters);
	tcp_recorder_put(r, k, PM_AT_POLL, s->facts.ca_state, r->now);
}

int tcp_recorder_poll(struct tcp_recorder *r)
{
	r->now = realtime_us();
	read_clusters(r);
	if (r->job)
		job_groups_look(r->job);
	for (size_t i = 0; i < r->c.n; i++)
		r->c.p[i].seen = false;
	int e = sockets_dump(r->dump, true, take_polled, r);
	if (e == -EINTR) {	/* nothing is known of what the kernel left out */
		snapshots_lost(&r->s, 1);
		return 0;
	}
	return e == 0 ? 1 : e;
}

void tcp_recorder_forget(struct tcp_recorder *r)
{
	connections_sweep(&r->c, &r->s);
}

static void take_end(void *arg, const struct socket_seen *s)
{
	struct tcp_recorder *r = arg;
	bool is_known = connections_find(&r->c, s->cookie) != NULL;

	if (s->state == SOCKET_LISTEN || (!is_known && !tcp_recorder_wants(r, s)))
		return;
	struct known *k = connections_get(&r->c, s);
	if (k->ended)
		return;
	snapshot_take(&r->s, k, s);
	k->ended = true;
	tcp_recorder_put(r, k, PM_AT_FINAL, s->facts.total_retrans, r->now);
}

int tcp_recorder_ends(struct tcp_recorder *r)
{
	r->now = realtime_us();
	int e = sockets_ends(r->ends, take_end, r);
	if (e != -ENOBUFS)
		return e;
	snapshots_lost(&r->s, 1);	/* how many were lost is not known */
	return 0;
}
