/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.h - what records TCP connections: each interval all of them, ends, events */
#pragma once

#include "tracers/tcp/connections.h"
#include "tracers/tcp/output.h"
#include "tracers/tcp/ports.h"

struct job_groups;
struct tracepoints;

struct tcp_recorder {
	struct snapshots s;
	struct connections c;
	struct output out;
	struct sockets *dump, *ends;
	struct ports_list only;
	struct job_groups *job;		/* NULL: of all jobs */
	struct tracepoints *events;	/* NULL: not asked for */
	int sockstat;			/* /proc/net/sockstat; or -1 */
	uint64_t clusters;
	bool clusters_known;
	int64_t now;			/* of this dump, or of what comes now */
};

/* Opens what is asked; what cannot be had besides is warned of. 0, or -errno and said why. */
int tcp_recorder_open(struct tcp_recorder *r, const char *path, size_t ring) MUST_CHECK;
void tcp_recorder_close(struct tcp_recorder *r);

/* A snapshot of every connection. 1, 0: the kernel left some out, or -errno. */
int tcp_recorder_poll(struct tcp_recorder *r) MUST_CHECK;
/* Forgets the connections of which there was none, once their events are taken. */
void tcp_recorder_forget(struct tcp_recorder *r);
/* Last snapshots of those that were closed. */
int tcp_recorder_ends(struct tcp_recorder *r) MUST_CHECK;

/* 0; or -errno, and said why. Warns of tracepoints that this kernel lacks. */
int tcp_recorder_open_events(struct tcp_recorder *r) MUST_CHECK;

/* A snapshot of each connection to which something has happened; none where nobody asked for it. */
void tcp_recorder_events(struct tcp_recorder *r);

/* Of all that come until now; no others come, and what the kernel has kept back is warned of. */
void tcp_recorder_last_events(struct tcp_recorder *r);
