/* SPDX-License-Identifier: BSD-3-Clause */
/* daemon.h - the agent's loop and what its parts share */
#pragma once

#include <sys/socket.h>
#include <systemd/sd-event.h>
#include "agent/options.h"
#include "agent/recorder.h"

#define PEERS_MAX 64	/* connections to the control socket at a time */

struct daemon {
	const struct options *options;
	struct config config;
	struct recorder recorder;
	sd_event *event;
	int64_t since_us;

	struct ticker {
		int fd;			/* timerfd on the wall clock */
		int64_t offset_us;	/* how far this host's ticks lie behind the multiples */
		sd_event_source *source;
	} ticker;
	int listen_fd;
	sd_event_source *listen_source;
	struct peer {
		int fd;			/* 0: none */
		sd_event_source *source;
	} peer[PEERS_MAX];
	size_t next_peer;
	struct {
		int64_t since_ns;	/* monotonic */
		unsigned n;
	} asked;			/* for counters by users who may not do more */
	sd_event_source *job_file_source;
	struct groups *groups;		/* see groups_start() */
	struct tidy tidy;
};

/* Runs until SIGTERM or SIGINT. 0, -EINVAL: bad configuration, or another -errno; all is logged. */
int daemon_run(const struct options *o) MUST_CHECK;

/* Parts of it, each begun and ended with the configuration that is in force. 0 or -errno. */
int ticker_start(struct daemon *d) MUST_CHECK;
void ticker_stop(struct daemon *d);
int server_start(struct daemon *d) MUST_CHECK;
void server_stop(struct daemon *d);
int job_file_start(struct daemon *d) MUST_CHECK;
void job_file_stop(struct daemon *d);
void groups_start(struct daemon *d);
void groups_stop(struct daemon *d);
void groups_tick(struct daemon *d);	/* with each sample: what no event told */

/*
 * The job that a process belongs to: by its control group; where no scheduler made one, the only
 * job of the node. 0, -ENOENT: it was not begun here, -ESRCH: cannot be told.
 */
int own_job(const struct recorder *r, const struct ucred *peer, char *to, size_t size) MUST_CHECK;

void daemon_tidy(struct daemon *d, bool now);	/* see tidy_due() */
