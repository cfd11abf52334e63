/* SPDX-License-Identifier: BSD-3-Clause */
/* job_reads.c - read the values of jobs between samples, and when jobs end */
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
 * Interval of readings in us. It is longer if readings would otherwise use more than 1/CPU_PART of
 * a CPU. A reading takes some 40 us per job, so up to 100 jobs are read every 2 s.
 */
#define INTERVAL_US 2000000
#define CPU_PART    500

/*
 * When a process ends, read the last values of its job, before the scheduler removes the job's
 * cgroup. These readings may use 0.1 s of CPU time in a burst, then 1/50 of a CPU. The pause after
 * a reading is at most 50 ms, even if more than 1/50 of a CPU is then used.
 */
#define ENDED_BURST_NS 100000000
#define ENDED_CPU_PART 50
#define PAUSE_MAX_NS   50000000

struct job_reads {
	sd_event_source *timer;		/* timer of the next regular reading */
	sd_event_source *ended;		/* event source: a process of a job has ended */
	sd_event_source *pause_end;	/* timer that enables `ended` again */
	struct budget ends;		/* CPU time budget of the readings by `ended` */
};

static uint64_t job_reads_next_time(int64_t began_ns, int64_t now_ns)
{
	int64_t wait = (now_ns - began_ns) / 1000 * CPU_PART;
	return (uint64_t)(now_ns / 1000 + (wait > INTERVAL_US ? wait : INTERVAL_US));
}

static int job_reads_set_timer(sd_event_source *timer, int64_t began_ns, int64_t now_ns)
{
	int r = sd_event_source_set_time(timer, job_reads_next_time(began_ns, now_ns));
	return r < 0 ? r : sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

/*
 * Read the values of all jobs, and set the timer again. If there are no jobs, leave the timer off,
 * to let an idle node sleep.
 */
static int job_reads_on_time(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	(void)usec;
	if (!sampler_look_between(&d->recorder.sampler, true) && d->job_reads->ended)
		return 0;
	int64_t cost = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began, now = monotonic_ns();
	int r = job_reads_set_timer(source, now - cost, now);
	return r < 0 ? r : 0;
}

/* Restart the timer if the last sample has found jobs whose values can be read. */
static int job_reads_on_prepare(sd_event_source *source, void *arg)
{
	struct daemon *d = arg;
	int64_t now;
	(void)source;
	if (!d->job_reads->timer || sd_event_source_get_enabled(d->job_reads->timer, NULL) ||
	    !sampler_looks_between(&d->recorder.sampler))
		return 0;
	now = monotonic_ns();
	return job_reads_set_timer(d->job_reads->timer, now, now);
}

/* Discard the pending inotify events when no type watches a cgroup any more. */
static void job_reads_discard_events(int fd)
{
	char buf[4096];
	while (read(fd, buf, sizeof(buf)) > 0)
		;
}

static int job_reads_pause(struct daemon *d, int64_t pause_ns)
{
	uint64_t until = (uint64_t)((monotonic_ns() + pause_ns) / 1000);
	int r = sd_event_source_set_time(d->job_reads->pause_end, until);
	if (r >= 0)
		r = sd_event_source_set_enabled(d->job_reads->pause_end, SD_EVENT_ONESHOT);
	return r < 0 ? r : sd_event_source_set_enabled(d->job_reads->ended, SD_EVENT_OFF);
}

/*
 * Read the jobs of processes that have ended, or all jobs if the event queue has overflowed. If
 * this takes too much CPU time, job_reads_pause() disables this handler for a while.
 */
static int job_reads_on_ended(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct daemon *d = arg;
	int64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	(void)source;
	(void)events;
	if (!sampler_look_between(&d->recorder.sampler, false))
		job_reads_discard_events(fd);
	int64_t cost = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	int64_t pause_ns = budget_spend(&d->job_reads->ends, monotonic_ns(), cost, ENDED_BURST_NS,
				       ENDED_CPU_PART);
	int r = pause_ns ? job_reads_pause(d,
					   pause_ns < PAUSE_MAX_NS ? pause_ns : PAUSE_MAX_NS) : 0;
	return r < 0 ? r : 0;
}

static int job_reads_on_pause_end(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)usec;
	return sd_event_source_set_enabled(d->job_reads->ended, SD_EVENT_ON);
}

static int job_reads_watch_ends(struct daemon *d)
{
	struct shared *shared = &d->recorder.sampler.shared;
	/*
	 * after a reload that failed, the sampler still has its inotify descriptor with all watches
	 */
	int fd = shared->ended > 0 ? shared->ended : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (fd < 0)
		return -errno;
	shared->ended = fd;
	struct job_reads *j = d->job_reads;
	int r = sd_event_add_time(d->event, &j->pause_end, CLOCK_MONOTONIC, 0, 1,
				  job_reads_on_pause_end, d);
	if (r >= 0)
		r = sd_event_source_set_enabled(j->pause_end, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_add_io(d->event, &j->ended, fd, EPOLLIN, job_reads_on_ended, d);
	if (r >= 0)
		r = sd_event_source_set_prepare(j->ended, job_reads_on_prepare);
	return r;
}

void job_reads_start(struct daemon *d)
{
	int64_t now = monotonic_ns();
	struct job_reads *j = d->job_reads = xrealloc(NULL, sizeof(*j));
	*j = (struct job_reads){ NULL };
	int r = sd_event_add_time(d->event, &j->timer, CLOCK_MONOTONIC,
				  job_reads_next_time(now, now), 0,
				  job_reads_on_time, d);
	if (r < 0)
		log_warning("cannot read the values of jobs regularly between samples: %s; they "
			    "are read with each sample and when a process of a job ends",
			    strerror(-r));
	r = job_reads_watch_ends(d);
	if (r < 0)
		log_warning("cannot watch for the ends of jobs: %s; what a job uses after its "
			    "values were last read is not recorded", strerror(-r));
}

void job_reads_stop(struct daemon *d)
{
	if (!d->job_reads)
		return;
	sd_event_source_unref(d->job_reads->timer);
	sd_event_source_unref(d->job_reads->ended);
	sd_event_source_unref(d->job_reads->pause_end);
	free(d->job_reads);
	d->job_reads = NULL;
}
