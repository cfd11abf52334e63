/* SPDX-License-Identifier: BSD-3-Clause */
/* job_reads.c - values of jobs are read between samples, and at the ends of jobs */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>
#include "agent/daemon.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"

/*
 * So often, but it takes no more than this part of a processor: the values of a job take some 40 us
 * to read, so those of up to 100 jobs are read every 2 s, of 384 jobs every 8 s.
 */
#define EVERY_US 2000000
#define PART     500

/*
 * The scheduler removes a job's control group soon after its last process ends. So each end is read
 * at once; only what starts and ends processes all the time has the readings rest: they may take
 * 0.1 s of a CPU, then 1/50 of one, and more where a rest would be longer than 50 ms.
 */
#define ENDED_AT_ONCE_NS 100000000
#define ENDED_PART 50
#define ENDED_NS   50000000

struct job_reads {
	sd_event_source *timer;		/* the next reading */
	sd_event_source *ended;		/* jobs end */
	sd_event_source *rested;	/* their readings go on */
	struct budget ends;		/* of these */
};

static uint64_t next_time(int64_t began_ns, int64_t now_ns)
{
	int64_t wait = (now_ns - began_ns) / 1000 * PART;
	return (uint64_t)(now_ns / 1000 + (wait > EVERY_US ? wait : EVERY_US));
}

static int set_timer(sd_event_source *timer, int64_t began_ns, int64_t now_ns)
{
	int r = sd_event_source_set_time(timer, next_time(began_ns, now_ns));
	return r < 0 ? r : sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

/* Where no type has anything to read, the timer rests: an idle node is not woken for it. */
static int on_time(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	(void)usec;
	if (!sampler_look_between(&d->recorder.sampler, true) && d->job_reads->ended)
		return 0;
	int64_t cost = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began, now = monotonic_ns();
	int r = set_timer(source, now - cost, now);
	return r < 0 ? r : 0;
}

/* Before the loop waits: whether there is something to read again is known since a sample. */
static int on_prepare(sd_event_source *source, void *arg)
{
	struct daemon *d = arg;
	int64_t now;
	(void)source;
	if (!d->job_reads->timer || sd_event_source_get_enabled(d->job_reads->timer, NULL) ||
	    !sampler_looks_between(&d->recorder.sampler))
		return 0;
	now = monotonic_ns();
	return set_timer(d->job_reads->timer, now, now);
}

/* No type watches a group any more: these are the last events of watches. */
static void discard(int fd)
{
	char buf[4096];
	while (read(fd, buf, sizeof(buf)) > 0)
		;
}

static int rest(struct daemon *d, int64_t rest_ns)
{
	uint64_t until = (uint64_t)((monotonic_ns() + rest_ns) / 1000);
	int r = sd_event_source_set_time(d->job_reads->rested, until);
	if (r >= 0)
		r = sd_event_source_set_enabled(d->job_reads->rested, SD_EVENT_ONESHOT);
	return r < 0 ? r : sd_event_source_set_enabled(d->job_reads->ended, SD_EVENT_OFF);
}

/* While it rests the kernel queues events; if its queue overflows, all jobs are read. */
static int on_ended(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct daemon *d = arg;
	int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	(void)source;
	(void)events;
	if (!sampler_look_between(&d->recorder.sampler, false))
		discard(fd);
	int64_t cost = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	int64_t rest_ns = budget_spend(&d->job_reads->ends, monotonic_ns(), cost, ENDED_AT_ONCE_NS,
				       ENDED_PART);
	int r = rest_ns ? rest(d, rest_ns < ENDED_NS ? rest_ns : ENDED_NS) : 0;
	return r < 0 ? r : 0;
}

static int on_rested(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)usec;
	return sd_event_source_set_enabled(d->job_reads->ended, SD_EVENT_ON);
}

static int watch_ends(struct daemon *d)
{
	struct shared *shared = &d->recorder.sampler.shared;
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (fd < 0)
		return -errno;
	shared->ended = fd;
	struct job_reads *j = d->job_reads;
	int r = sd_event_add_time(d->event, &j->rested, CLOCK_MONOTONIC, 0, 1, on_rested, d);
	if (r >= 0)
		r = sd_event_source_set_enabled(j->rested, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_io(d->event, &j->ended, fd, EPOLLIN, on_ended, d);
	if (r >= 0)
		r = sd_event_source_set_prepare(j->ended, on_prepare);
	return r;
}

void job_reads_start(struct daemon *d)
{
	int64_t now = monotonic_ns();
	struct job_reads *j = d->job_reads = xrealloc(NULL, sizeof(*j));
	*j = (struct job_reads){ NULL };
	int r = sd_event_add_time(d->event, &j->timer, CLOCK_MONOTONIC, next_time(now, now), 0,
				  on_time, d);
	if (r < 0)
		log_warning("jobs are read with samples only: %s", strerror(-r));
	r = watch_ends(d);
	if (r < 0)
		log_warning("jobs are not read at their ends: %s", strerror(-r));
}

void job_reads_stop(struct daemon *d)
{
	if (!d->job_reads)
		return;
	sd_event_source_unref(d->job_reads->timer);
	sd_event_source_unref(d->job_reads->ended);
	sd_event_source_unref(d->job_reads->rested);
	free(d->job_reads);
	d->job_reads = NULL;
}
