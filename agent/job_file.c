/* SPDX-License-Identifier: BSD-3-Clause */
/* job_file.c - watch the one-line job file that a site's scripts write */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include "agent/daemon.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"
#include "recorder/job_sources.h"

/* events to watch in the job file's folder: the file may be created, removed or replaced */
#define EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR)

#define RETRY_US 250000	/* us until the job file is read again if a hook holds the jobs lock */

struct job_file {
	sd_event_source *changes, *retry;
};

static int job_file_on_retry(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)usec;
	d->job_file->retry = sd_event_source_unref(d->job_file->retry);
	job_file_look(d);
	return 0;
}

void job_file_look(struct daemon *d)
{
	if (!d->job_file || d->job_file->retry)
		return;
	int r = spool_comes_first(d) < 0 ? -ETIMEDOUT : recorder_job_file(&d->recorder);
	if (r == -ETIMEDOUT)
		r = sd_event_add_time(d->event, &d->job_file->retry, CLOCK_MONOTONIC,
				      (uint64_t)monotonic_ns() / 1000 + RETRY_US, 0,
				      job_file_on_retry, d);
	if (r < 0)
		log_error("%s: its job was not marked: %s", d->config.job_file, strerror(-r));
}

static int job_file_on_change(sd_event_source *source, const struct inotify_event *event, void *arg)
{
	struct daemon *d = arg;
	const char *leaf = strrchr(d->config.job_file, '/') + 1;
	(void)source;

	bool overflow = event->mask & IN_Q_OVERFLOW;
	if (!overflow && (event->len == 0 || strcmp(event->name, leaf) != 0))
		return 0;
	job_file_look(d);
	return 0;
}

int job_file_start(struct daemon *d)
{
	char dir[CONFIG_TEXT_MAX];
	const char *slash = strrchr(d->config.job_file, '/');

	if (!d->config.job_file[0])
		return 0;
	if (!slash)
		return -EINVAL;
	str_copy(dir, sizeof(dir), (struct str){ d->config.job_file,
						 (size_t)(slash - d->config.job_file) });
	d->job_file = xrealloc(NULL, sizeof(*d->job_file));
	*d->job_file = (struct job_file){ NULL };
	int r = sd_event_add_inotify(d->event, &d->job_file->changes, dir[0] ? dir : "/", EVENTS,
				     job_file_on_change, d);
	return r < 0 ? r : 0;
}

void job_file_stop(struct daemon *d)
{
	if (!d->job_file)
		return;
	sd_event_source_unref(d->job_file->changes);
	sd_event_source_unref(d->job_file->retry);
	free(d->job_file);
	d->job_file = NULL;
}
