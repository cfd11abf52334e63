/* SPDX-License-Identifier: BSD-3-Clause */
/* spool_watch.c - what is on its way to the archive: marks of hooks, records of a disk that hung */
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

#define RETRY_US 250000	/* a hook is at it, or the disk hangs */
#define AGAIN_US 10000000	/* marks could not be read, or made */
#define HELD_NS  10000000000	/* a hook has ended by then: who has the lock is another */
#define SOON_US  20000	/* marks that hooks leave at one moment share a sample */

struct spool_watch {
	void (*when_free)(struct daemon *d);
	sd_event_source *changes, *retry;
	sd_event_source *jobs;	/* the file in which others leave the jobs */
	int64_t busy_ns;	/* monotonic: a hook makes marks since then; 0: none does */
};

static void take(struct daemon *d);

static bool is_held(const struct daemon *d)
{
	return monotonic_ns() - d->spool_watch->busy_ns >= HELD_NS;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)usec;
	d->spool_watch->retry = sd_event_source_unref(d->spool_watch->retry);
	take(d);
	if (!d->spool_watch->busy_ns || is_held(d))
		d->spool_watch->when_free(d);
	return 0;
}

static void look_in(struct daemon *d, int64_t usec)
{
	uint64_t when = (uint64_t)(monotonic_ns() / 1000 + usec), due;
	struct spool_watch *w = d->spool_watch;
	if (w->retry && sd_event_source_get_time(w->retry, &due) == 0 && due <= when)
		return;
	sd_event_source_unref(w->retry);
	w->retry = NULL;
	if (sd_event_add_time(d->event, &w->retry, CLOCK_MONOTONIC, when, 0, on_retry, d) < 0)
		log_debug("marks that hooks left are looked for when the next one comes");
}

void spool_follow(struct daemon *d)
{
	struct recorder_status s = recorder_status(&d->recorder);
	if (s.stopped && s.hangs_ns)
		look_in(d, RETRY_US);
}

static void take(struct daemon *d)
{
	recorder_settle(&d->recorder);
	int r = recorder_drain(&d->recorder, NULL, NULL);
	if (r < 0 && r != -EBUSY)
		log_error("marks that hooks left are not made: %s", strerror(-r));
	if (r != -EBUSY)
		d->spool_watch->busy_ns = 0;
	else if (!d->spool_watch->busy_ns)
		d->spool_watch->busy_ns = monotonic_ns();
	if (r < 0)
		look_in(d, r == -EBUSY ? RETRY_US : AGAIN_US);
	spool_follow(d);
}

int spool_comes_first(struct daemon *d)
{
	if (!d->spool_watch->busy_ns && spool_count(d->config.runtime_dir) > 0)
		take(d);
	return d->spool_watch->busy_ns && !is_held(d) ? -EBUSY : 0;
}

static int on_event(sd_event_source *source, const struct inotify_event *event, void *arg)
{
	(void)source;
	if (event->mask & IN_Q_OVERFLOW || str_ends(str_of(event->name), STR(SPOOL_MARK)))
		look_in(arg, SOON_US);
	return 0;
}

/* Without its folder the file is looked at before each tick again. */
static int on_replaced(sd_event_source *source, const struct inotify_event *event, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	d->recorder.jobs_file.changed = true;
	if (event->mask & (IN_IGNORED | IN_MOVE_SELF | IN_UNMOUNT))
		d->recorder.jobs_file.watched = false;
	return 0;
}

static void watch_jobs(struct daemon *d)
{
	int r = sd_event_add_inotify(d->event, &d->spool_watch->jobs, d->config.runtime_dir,
				     IN_MOVED_TO | IN_CLOSE_WRITE | IN_MOVE_SELF | IN_ONLYDIR,
				     on_replaced, d);
	if (r >= 0)	/* before a tick that is due as well */
		r = sd_event_source_set_priority(d->spool_watch->jobs, SD_EVENT_PRIORITY_IMPORTANT);
	d->recorder.jobs_file.watched = r >= 0;
	d->recorder.jobs_file.changed = true;
}

/* Hooks that found no agent may have left marks already: they are looked for at once. */
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
				 on_event, d);
	watch_jobs(d);
	look_in(d, 0);
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
