/* SPDX-License-Identifier: BSD-3-Clause */
/* tracepoints.c - receive TCP events from the kernel's tracepoints through perf ring buffers */
#include "tcp/tracepoints.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "base/files.h"
#include "base/vec.h"
#include "collectors/pmu/perf.h"
#include "tcp/trace_fields.h"
#include "tcp/trace_ring.h"

#ifdef HAVE_TRACEEVENT

/*
 * The tracepoints. .since is the first version of Linux with the tracepoint. .only is a kernel
 * filter, because inet_sock_set_state also reports DCCP and SCTP.
 */
static const struct {
	const char *system, *name, *since, *only;
} points[TRACE_KINDS] = {
	[TRACE_PROBE]      = { "tcp",  "tcp_probe",           "4.16", NULL },
	[TRACE_CONGESTION] = { "tcp",  "tcp_cong_state_set",  "5.19", NULL },
	[TRACE_RETRANSMIT] = { "tcp",  "tcp_retransmit_skb",  "4.15", NULL },
	[TRACE_STATE]      = { "sock", "inet_sock_set_state", "4.16", "protocol == 6" },
};

struct tracepoints {
	struct trace_fields *fields;
	struct trace_ring *ring;	/* one ring buffer for each online CPU */
	size_t n_rings, cap_rings;
	struct {
		int fd;
		enum trace_kind kind;
	} *open;			/* open perf events, one for each tracepoint on each CPU */
	size_t n_open, cap_open;
	uint64_t received[TRACE_KINDS], lost;
	int any;			/* epoll(7) descriptor for all rings */
	struct tcp_event *event;
	size_t n_events, cap_events;
};

static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/*
 * Open the folder of tracepoints. Returns a descriptor, or the -errno of the first path in `roots`.
 */
static int points_open_folder(void)
{
	char path[64];
	int e = 0;

	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		snprintf(path, sizeof(path), "%s/events", roots[i]);
		int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0)
			return fd;
		e = e ? e : -errno;
	}
	return e;
}

static int points_read_format(struct tracepoints *t, int events, enum trace_kind kind)
{
	char path[96];
	struct str text;
	struct buf b CLEANUP(buf_free) = { 0 };

	snprintf(path, sizeof(path), "%s/%s/format", points[kind].system, points[kind].name);
	int fd CLEANUP(close_fd) = openat(events, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int e = files_read_fd(fd, FILE_TO_END, &b, &text);
	return e < 0 ? e : trace_fields_add(t->fields, kind, points[kind].system, text);
}

/*
 * Append a kernel filter for the ports: "(sport == 1055 && dport == 5050) || ...". If it would be
 * too long for the kernel, no port filter is set, and only this process filters by ports.
 */
static void points_put_ports(struct buf *b, const struct ports_list *only)
{
	for (size_t i = 0; i < only->n; i++) {
		struct port_pair p = only->p[i];
		buf_addf(b, "%s(", i ? " || " : "");
		if (p.local)
			buf_addf(b, "sport == %u", p.local);
		if (p.remote)
			buf_addf(b, "%sdport == %u", p.local ? " && " : "", p.remote);
		buf_add_char(b, ')');
	}
}

static int points_set_filter(int fd, enum trace_kind kind, const struct ports_list *only)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	const char *protocol = points[kind].only;

	if (only->n && only->n * 40 < (size_t)sysconf(_SC_PAGESIZE) - 64) {
		buf_addf(&b, protocol ? "%s && (" : "(", protocol);
		points_put_ports(&b, only);
		buf_addf(&b, ")");
	} else if (protocol) {
		buf_addf(&b, "%s", protocol);
	}
	if (b.n == 0)
		return 0;
	buf_add_char(&b, '\0');
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, b.p) < 0 ? -errno : 0;
}

/*
 * Open a tracepoint on a CPU. leader: descriptor of the CPU's first tracepoint, whose ring buffer
 * the others share; -1 for the first tracepoint itself.
 */
static int points_open_one(struct tracepoints *t, enum trace_kind kind, int cpu, int leader,
			   const struct ports_list *only)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.config = trace_fields_id(t->fields, kind), .sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, .disabled = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.watermark = 1, .wakeup_watermark = TRACE_RING_BYTES / 4,
	};
	int fd = perf_open(&attr, cpu, -1);
	if (fd < 0)
		return fd;
	t->open = vec_reserve(t->open, &t->cap_open, t->n_open + 1, sizeof(*t->open));
	t->open[t->n_open].fd = fd;
	t->open[t->n_open++].kind = kind;
	int e = points_set_filter(fd, kind, only);
	if (e == 0 && leader >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, leader) < 0)
		e = -errno;
	return e < 0 ? e : fd;
}

static int points_open_ring(struct tracepoints *t, int fd)
{
	struct epoll_event all = { .events = EPOLLIN };
	t->ring = vec_reserve(t->ring, &t->cap_rings, t->n_rings + 1, sizeof(*t->ring));
	int e = trace_ring_open(&t->ring[t->n_rings], fd);
	if (e < 0)
		return e;
	t->n_rings++;
	return epoll_ctl(t->any, EPOLL_CTL_ADD, fd, &all) < 0 ? -errno : 0;
}

static int points_open_cpu(struct tracepoints *t, int cpu, const struct ports_list *only)
{
	int leader = -1;

	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++) {
		if (!trace_fields_id(t->fields, kind))
			continue;
		int fd = points_open_one(t, kind, cpu, leader, only);
		if (fd == -ENODEV)
			return 0;	/* the CPU is offline: skip it */
		if (fd < 0)
			return fd;
		int e = leader < 0 ? points_open_ring(t, fd) : 0;
		if (e < 0)
			return e;
		leader = leader < 0 ? fd : leader;
	}
	return 0;
}

/* Find the tracepoints of this kernel. Returns 0, or -errno with the reason in `why`. */
static int points_find(struct tracepoints *t, char why[TRACEPOINTS_WHY])
{
	int found = 0, e;
	size_t n = 0;
	int events CLEANUP(close_fd) = points_open_folder();

	if (events < 0) {
		snprintf(why, TRACEPOINTS_WHY, events == -ENOENT ?
			 "tracefs is not mounted: mount -t tracefs tracefs %s" :
			 "%s/events: not readable by this user", roots[0]);
		return events;
	}
	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++) {
		e = points_read_format(t, events, kind);
		found += e == 0;
		if (e < 0 && n < TRACEPOINTS_WHY)
			n += (size_t)snprintf(why + n, TRACEPOINTS_WHY - n,
				"%s%s (Linux %s): %s", n ? "; " : "", points[kind].name,
				points[kind].since, e == -EACCES ? "not readable by this user" :
				e == -ENOENT ? "this kernel does not have it" : strerror(-e));
	}
	return found ? 0 : -ENOENT;
}

static int points_start(struct tracepoints *t, const struct ports_list *only,
			char why[TRACEPOINTS_WHY])
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int e = 0;

	for (int cpu = 0; cpu < cpus && e == 0; cpu++)
		e = points_open_cpu(t, cpu, only);
	for (size_t i = 0; i < t->n_open && e == 0; i++)
		e = perf_enable(t->open[i].fd);
	if (e < 0)
		snprintf(why, TRACEPOINTS_WHY, "perf_event_open: %s%s", strerror(-e),
			 e == -EACCES || e == -EPERM ?
			 " (needs root, or CAP_PERFMON and a readable tracefs)" : "");
	return e;
}

int tracepoints_open(struct tracepoints **ret, const struct ports_list *only,
		     char why[TRACEPOINTS_WHY])
{
	struct tracepoints *t = xrealloc(NULL, sizeof(*t));

	*t = (struct tracepoints){ .any = epoll_create1(EPOLL_CLOEXEC) };
	why[0] = '\0';
	int e = t->any < 0 ? -errno : trace_fields_new(&t->fields);
	if (e == 0)
		e = points_find(t, why);
	if (e == 0)
		e = points_start(t, only, why);
	if (e < 0)
		tracepoints_free(t);
	else
		*ret = t;
	return e;
}

void tracepoints_free(struct tracepoints *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_rings; i++)
		trace_ring_close(&t->ring[i]);
	for (size_t i = 0; i < t->n_open; i++)
		perf_close(t->open[i].fd);
	close_fd(&t->any);
	trace_fields_free(t->fields);
	free(t->ring);
	free(t->open);
	free(t->event);
	free(t);
}

int tracepoints_fd(const struct tracepoints *t)
{
	return t->any;
}

static void points_decode_sample(void *arg, int64_t at, void *data, size_t n)
{
	struct tracepoints *t = arg;
	struct tcp_event e = { .at = at };

	if (!trace_fields_decode(t->fields, data, n, &e))
		return;
	t->received[e.kind]++;
	t->event = vec_reserve(t->event, &t->cap_events, t->n_events + 1, sizeof(*t->event));
	t->event[t->n_events++] = e;
}

static int points_compare_times(const void *a, const void *b)
{
	const struct tcp_event *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

uint64_t tracepoints_read(struct tracepoints *t, void (*take)(void *arg, const struct tcp_event *e),
			  void *arg)
{
	uint64_t lost = 0;

	t->n_events = 0;
	for (size_t i = 0; i < t->n_rings; i++)
		lost += trace_ring_read(&t->ring[i], points_decode_sample, t);
	t->lost += lost;
	if (t->n_events)
		qsort(t->event, t->n_events, sizeof(*t->event), points_compare_times);
	for (size_t i = 0; i < t->n_events; i++)
		take(arg, &t->event[i]);
	return lost;
}

void tracepoints_stop(struct tracepoints *t)
{
	for (size_t i = 0; i < t->n_open; i++)
		(void)!ioctl(t->open[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void tracepoints_missed(struct tracepoints *t,
			void (*report)(const char *name, uint64_t counted, uint64_t received))
{
	uint64_t counted[TRACE_KINDS] = { 0 }, n;

	for (size_t i = 0; i < t->n_open; i++)
		if (read(t->open[i].fd, &n, sizeof(n)) == sizeof(n))
			counted[t->open[i].kind] += n;
	for (enum trace_kind kind = 0; kind < TRACE_KINDS && !t->lost; kind++)
		if (counted[kind] > t->received[kind])
			report(points[kind].name, counted[kind], t->received[kind]);
}
#else

int tracepoints_open(struct tracepoints **ret, const struct ports_list *only,
		     char why[TRACEPOINTS_WHY])
{
	(void)ret, (void)only;
	snprintf(why, TRACEPOINTS_WHY, "built without libtraceevent, which is needed for "
		 "tracepoints");
	return -ENOTSUP;
}

void tracepoints_free(struct tracepoints *t)
{
	(void)t;
}

int tracepoints_fd(const struct tracepoints *t)
{
	(void)t;
	return -1;
}

uint64_t tracepoints_read(struct tracepoints *t, void (*take)(void *arg, const struct tcp_event *e),
			  void *arg)
{
	(void)t, (void)take, (void)arg;
	return 0;
}

void tracepoints_stop(struct tracepoints *t)
{
	(void)t;
}

void tracepoints_missed(struct tracepoints *t,
			void (*report)(const char *name, uint64_t counted, uint64_t received))
{
	(void)t, (void)report;
}
#endif
