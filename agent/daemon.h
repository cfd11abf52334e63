/* SPDX-License-Identifier: BSD-3-Clause */
/* daemon.h - the agent: state shared by its parts, and functions to start and stop each part */
#pragma once

#include <systemd/sd-event.h>
#include "archive/tidy.h"
#include "recorder/live_tier.h"
#include "recorder/options.h"

/* The agent. Each part has private state, which is NULL if the part is not running. */
struct daemon {
	const struct options *options;
	struct config config;
	struct buf reload_errors;	/* why the last reload failed; empty if it succeeded */
	struct programs programs;	/* BPF programs, loaded at the start */
	struct recorder recorder;
	sd_event *event;
	int64_t since_us;	/* start time of the agent */
	/* the child process that compresses and removes old files, see daemon_tidy() */
	struct tidy tidy;
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

/*
 * Run until SIGTERM or SIGINT. Errors are logged. Returns 0, -EINVAL if the configuration is
 * invalid, or another -errno.
 */
int daemon_run(const struct options *o) MUST_CHECK;

/*
 * Start and stop functions of the parts of the agent. A start function uses the current
 * configuration. If it returns a value, this is 0 or -errno.
 */

/*
 * Start nodometer-tidy, which compresses and removes old files, if it is not running: at most once
 * an hour or, with `now`, once a minute.
 */
void daemon_tidy(struct daemon *d, bool now);

int ticker_start(struct daemon *d) MUST_CHECK;
void ticker_stop(struct daemon *d);
/* Return the state of live samples (recorder/live_tier.h), for the reply to "status". */
const struct live_tier *ticker_live(const struct daemon *d);

int server_start(struct daemon *d) MUST_CHECK;
void server_stop(struct daemon *d);
void server_mark_waiting(struct daemon *d);	/* handles all mark requests that were deferred */

int job_file_start(struct daemon *d) MUST_CHECK;
void job_file_stop(struct daemon *d);
/* reads the job file; if its job has changed, marks the end and the begin; logs failures */
void job_file_look(struct daemon *d);

/*
 * Watch the spool. After spool_comes_first() has returned -EBUSY, when_free is called once the hook
 * has released the jobs lock, or has held this lock for ten seconds. when_free may be called at
 * other times, too.
 */
int spool_start(struct daemon *d, void (*when_free)(struct daemon *d)) MUST_CHECK;
void spool_stop(struct daemon *d);
/*
 * Record spooled marks before any other mark, so that no end mark precedes its begin mark. Returns
 * 0, or -EBUSY if a hook has held the jobs lock for less than ten seconds.
 */
int spool_comes_first(struct daemon *d);
/*
 * If the writer process hangs, set a timer to write the waiting record groups later. Call this
 * after a record group was handed to the writer.
 */
void spool_follow(struct daemon *d);

void cgroups_start(struct daemon *d);
void cgroups_stop(struct daemon *d);
/*
 * Look at all cgroups of jobs if the last look is a minute old, in case an inotify event was
 * missed. Call this with each sample.
 */
void cgroups_tick(struct daemon *d);

/* Start to read the values of jobs between samples. Failures are logged. */
void job_reads_start(struct daemon *d);
void job_reads_stop(struct daemon *d);
