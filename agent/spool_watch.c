/* SPDX-License-Identifier: BSD-3-Clause */
/* spool_watch.c - watch for spooled marks, and for record groups that a slow disk delays */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include "agent/daemon.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"
#include "recorder/requests.h"

/* us to the next try if a hook holds the jobs lock or the disk hangs */
#define RETRY_US         250000
/* us to the next try if marks could not be read or recorded */
#define RETRY_FAILED_US  10000000
/*
 * ns; longest time that a hook holds the jobs lock. A process that holds the lock for longer is no
 * hook, and the agent does not wait for it.
 */
#define LOCK_HELD_MAX_NS 10000000000
/* us; delay before spooled marks are recorded, so that several marks share a sample */
#define GATHER_US        20000

struct spool_watch {
	void (*when_free)(struct daemon *d);
	sd_event_source *changes, *retry;
	sd_event_source *jobs;	/* watch of the state file of the jobs */
	/*
	 * since when a hook was found to hold the lock, in ns of CLOCK_MONOTONIC; 0: the lock is
	 * free
	 */
	int64_t busy_ns;
};

static void spool_make_marks(struct daemon *d);

static bool spool_lock_is_held_long(const struct daemon *d)
{
	return monotonic_ns() - d->spool_watch->busy_ns >= LOCK_HELD_MAX_NS;
}

static int spool_on_retry(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)usec;
	d->spool_watch->retry = sd_event_source_unref(d->spool_watch->retry);
	spool_make_marks(d);
	if (!d->spool_watch->busy_ns || spool_lock_is_held_long(d))
		d->spool_watch->when_free(d);
	return 0;
}

static void spool_look_after(struct daemon *d, int64_t usec)
{
	uint64_t when = (uint64_t)(monotonic_ns() / 1000 + usec), due;
	struct spool_watch *w = d->spool_watch;
	if (w->retry && sd_event_source_get_time(w->retry, &due) == 0 && due <= when)
		return;
	sd_event_source_unref(w->retry);
	w->retry = NULL;
	if (sd_event_add_time(d->event, &w->retry, CLOCK_MONOTONIC, when, 0, spool_on_retry, d) < 0)
		log_debug("cannot set a timer to record the marks that hooks left; they are "
			  "recorded when the next mark arrives");
}

void spool_follow(struct daemon *d)
{
	struct recorder_status s = recorder_status(&d->recorder);
	if (s.stopped && s.hangs_ns)
		spool_look_after(d, RETRY_US);
}

static void spool_make_marks(struct daemon *d)
{
	recorder_settle(&d->recorder);
	int r = recorder_drain(&d->recorder, NULL, NULL);
	if (r < 0 && r != -EBUSY && r != -ENOBUFS)
		log_error("cannot record marks that hooks left: %s", strerror(-r));
	if (r != -EBUSY)
		d->spool_watch->busy_ns = 0;
	else if (!d->spool_watch->busy_ns)
		d->spool_watch->busy_ns = monotonic_ns();
	if (r < 0)
		spool_look_after(d, r == -EBUSY ? RETRY_US : RETRY_FAILED_US);
	spool_follow(d);
}

int spool_comes_first(struct daemon *d)
{
	if (!d->spool_watch->busy_ns && spool_count(d->config.runtime_dir) > 0)
		spool_make_marks(d);
	return d->spool_watch->busy_ns && !spool_lock_is_held_long(d) ? -EBUSY : 0;
}

static int spool_on_event(sd_event_source *source, const struct inotify_event *event, void *arg)
{
	(void)source;
	if (event->mask & IN_Q_OVERFLOW || str_ends(str_of(event->name), STR(SPOOL_MARK)))
		spool_look_after(arg, GATHER_US);
	return 0;
}

/*
 * Note that the state file of the jobs has changed. If the folder of that file was removed or
 * moved, the file is no longer watched; the agent then checks the file before each timed sample.
 */
static int spool_on_jobs_replaced(sd_event_source *source, const struct inotify_event *event,
				  void *arg)
{
	struct daemon *d = arg;
	(void)source;
	d->recorder.jobs_file.changed = true;
	if (event->mask & (IN_IGNORED | IN_MOVE_SELF | IN_UNMOUNT))
		d->recorder.jobs_file.watched = false;
	return 0;
}

static void spool_watch_jobs(struct daemon *d)
{
	int r = sd_event_add_inotify(d->event, &d->spool_watch->jobs, d->config.runtime_dir,
				     IN_MOVED_TO | IN_CLOSE_WRITE | IN_MOVE_SELF | IN_ONLYDIR,
				     spool_on_jobs_replaced, d);
	/* handle a change of the jobs before a sample of the timer that is due at the same time */
	if (r >= 0)
		r = sd_event_source_set_priority(d->spool_watch->jobs, SD_EVENT_PRIORITY_IMPORTANT);
	d->recorder.jobs_file.watched = r >= 0;
	d->recorder.jobs_file.changed = true;
}

/* Watch the spool, and look for marks at once, since hooks may have spooled some already. */
int spool_start(struct daemon *d, void (*when_free)(struct daemon *d))
{
	char path[CONFIG_TEXT_MAX + 8];
	struct spool *s = &d->recorder.spool;
	d->spool_watch = xrealloc(NULL, sizeof(*d->spool_watch));
	*d->spool_watch = (struct spool_watch){ .when_free = when_free };
	int r = spool_open(s, d->config.runtime_dir);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/marks", d->config.runtime_dir);
	r = sd_event_add_inotify(d->event, &d->spool_watch->changes, path, IN_MOVED_TO | IN_ONLYDIR,
				 spool_on_event, d);
	spool_watch_jobs(d);
	spool_look_after(d, 0);
	return r < 0 ? r : 0;
}

void spool_stop(struct daemon *d)
{
	if (!d->spool_watch)
		return;
	sd_event_source_unref(d->spool_watch->changes);
	sd_event_source_unref(d->spool_watch->jobs);
	d->recorder.jobs_file.watched = false;
	sd_event_source_unref(d->spool_watch->retry);
	free(d->spool_watch);
	d->spool_watch = NULL;
}
