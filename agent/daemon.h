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
	/* child process that compresses and removes old archive files, see daemon_tidy() */
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
 * Functions that start and stop the parts of the agent. A start function uses the current
 * configuration; if it returns an int, this is 0 or -errno.
 */

/*
 * Start nodometer-tidy, which compresses and removes old archive files, unless it is running
 * already. It is started at most once an hour or, with `now`, once a minute.
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
/*
 * reads the job file; if it names another job than before, marks the end of the old job and the
 * begin of the new one; logs failures
 */
void job_file_look(struct daemon *d);

/*
 * Watch the spool, where hooks leave marks. After spool_comes_first() has returned -EBUSY,
 * when_free is called once the hook has released the jobs lock, or has held it for ten seconds.
 * when_free may be called at other times, too.
 */
int spool_start(struct daemon *d, void (*when_free)(struct daemon *d)) MUST_CHECK;
void spool_stop(struct daemon *d);
/*
 * Record all spooled marks. Call this before recording any other mark, so that no end mark precedes
 * its begin mark. Returns 0, or -EBUSY if a hook holds the jobs lock and has held it for less than
 * ten seconds.
 */
int spool_comes_first(struct daemon *d);
/*
 * If the writer process hangs, set a timer to write the record groups that wait in memory. Call
 * this after a record group was handed to the writer.
 */
void spool_follow(struct daemon *d);

void cgroups_start(struct daemon *d);
void cgroups_stop(struct daemon *d);
/*
 * Search for cgroups of jobs if the last search was a minute ago, in case an inotify event was
 * missed. Call this with each sample.
 */
void cgroups_tick(struct daemon *d);

/* Start to read the resource use of jobs between samples. Failures are logged. */
void job_reads_start(struct daemon *d);
void job_reads_stop(struct daemon *d);
