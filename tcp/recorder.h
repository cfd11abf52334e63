/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.h - take snapshots of TCP connections: periodically, at their end, and on events */
#pragma once

#include "tcp/connections.h"
#include "tcp/output.h"
#include "tcp/ports.h"

struct job_groups;
struct tracepoints;

/* tcp_recorder_close() also frees .job and the list .only, which the caller sets. */
struct tcp_recorder {
	struct snapshots s;
	struct connections c;
	struct output out;
	/* kernel interfaces that list all sockets, and that report closed connections */
	struct sockets *dump, *ends;
	struct ports_list only;
	/* record only the connections of this job; NULL: record all connections */
	struct job_groups *job;
	/* kernel tracepoints that report events; NULL: events are not recorded */
	struct tracepoints *events;
	int sockstat;			/* descriptor of /proc/net/sockstat, or -1 */
	uint64_t clusters;		/* memory that TCP uses on the node, in pages */
	bool clusters_known;
	/* time of the current snapshot, microseconds since the epoch */
	int64_t now;
};

/*
 * Open the sockets and the output file, and warn about kernel features that are missing. Returns 0,
 * or -errno after logging the error.
 */
int tcp_recorder_open(struct tcp_recorder *r, const char *path, size_t ring) MUST_CHECK;
void tcp_recorder_close(struct tcp_recorder *r);

/*
 * Take a snapshot of every connection. The time of the first complete snapshot becomes the start of
 * the recording in the header; a connection that appears later is new. Returns 1; 0 if the kernel
 * left out some connections; or -errno.
 */
int tcp_recorder_poll(struct tcp_recorder *r) MUST_CHECK;
/* Forget closed connections. First call tcp_recorder_events(): waiting events may need them. */
void tcp_recorder_forget(struct tcp_recorder *r);
/* Record the last snapshots of closed connections. Returns 0 or -errno. */
int tcp_recorder_ends(struct tcp_recorder *r) MUST_CHECK;

/*
 * Open the tracepoints and warn about tracepoints that this kernel lacks. Returns 0, or -errno
 * after logging the error.
 */
int tcp_recorder_open_events(struct tcp_recorder *r) MUST_CHECK;

/* Record a snapshot for each waiting event. Do nothing if events are not recorded. */
void tcp_recorder_events(struct tcp_recorder *r);

/* Stop the tracepoints, record the waiting events, and warn about events that the kernel lost. */
void tcp_recorder_last_events(struct tcp_recorder *r);
