/* SPDX-License-Identifier: BSD-3-Clause */
/* daemon.h - the agent: what its parts share, and how each is begun and ended */
#pragma once

#include <systemd/sd-event.h>
#include "archive/tidy.h"
#include "recorder/live_tier.h"
#include "recorder/options.h"

/* A part's state is its own; NULL: it does not run. */
struct daemon {
	const struct options *options;
	struct config config;
	struct buf refused;		/* why the last reload changed nothing, or empty */
	struct programs programs;	/* in the kernel, since the start */
	struct recorder recorder;
	sd_event *event;
	int64_t since_us;
	struct tidy tidy;		/* see daemon_tidy() */
	struct ticker *ticker;
	struct server *server;
	struct trusted *trusted;
	struct refusals *refusals;
	struct job_file *job_file;
	struct spool_watch *spool_watch;
	struct cgroups *cgroups;
	struct job_reads *job_reads;
	struct newest_sample *sample;
	struct confinement *confinement;
};

/* Runs until SIGTERM or SIGINT. 0, -EINVAL: bad configuration, or another -errno; all is logged. */
int daemon_run(const struct options *o) MUST_CHECK;

/* The parts, each begun and ended with the configuration that is in force. 0 or -errno. */

/* Old files are compressed and removed where that is due, or now; see tidy_due(). */
void daemon_tidy(struct daemon *d, bool now);

int ticker_start(struct daemon *d) MUST_CHECK;
void ticker_stop(struct daemon *d);
const struct live_tier *ticker_live(const struct daemon *d);	/* for status */

int server_start(struct daemon *d) MUST_CHECK;
void server_stop(struct daemon *d);
void server_mark_waiting(struct daemon *d);	/* all whose request was put off */

int job_file_start(struct daemon *d) MUST_CHECK;
void job_file_stop(struct daemon *d);
void job_file_look(struct daemon *d);	/* a failure is logged */

/* when_free is called when the lock is free again that a hook had at spool_comes_first(). */
int spool_start(struct daemon *d, void (*when_free)(struct daemon *d)) MUST_CHECK;
void spool_stop(struct daemon *d);
/*
 * Marks of hooks that left them are made before those that are asked for now, so that no end comes
 * before its begin. 0, or -EBUSY: a hook has the lock.
 */
int spool_comes_first(struct daemon *d);
void spool_follow(struct daemon *d);	/* a group was handed to the writer: it may hang */

void cgroups_start(struct daemon *d);
void cgroups_stop(struct daemon *d);
void cgroups_tick(struct daemon *d);	/* with each sample: what no event reported */

/* Values of jobs are read more often than samples are taken. A failure is logged. */
void job_reads_start(struct daemon *d);
void job_reads_stop(struct daemon *d);
