/* SPDX-License-Identifier: BSD-3-Clause */
/* ticker.c - take samples at multiples of the interval on the wall clock, as all nodes do */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "agent/daemon.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/vec.h"

/* A timer, and the daemon whose samples it triggers. */
struct ticks {
	struct daemon *daemon;
	int fd;			/* timerfd on the wall clock */
	int64_t interval_us;
	/* us; how long after each multiple of the interval this host takes its sample */
	int64_t offset_us;
	int last_error;		/* error that was logged last, to log it only once */
	sd_event_source *source;
};

struct ticker {
	struct ticks archive, live;
	struct live_tier live_tier;
};

static int64_t ticker_tick_before(const struct ticks *t, int64_t now)
{
	int64_t since = now - t->offset_us;
	return since - since % t->interval_us + t->offset_us;
}

static int ticker_arm(struct ticks *of)
{
	int64_t each = of->interval_us;
	int64_t first = ticker_tick_before(of, realtime_us()) + each;
	struct itimerspec t = {
		.it_value = { first / 1000000, first % 1000000 * 1000 },
		.it_interval = { each / 1000000, each % 1000000 * 1000 },
	};
	int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
	return timerfd_settime(of->fd, flags, &t, NULL) < 0 ? -errno : 0;
}

/*
 * Return the time to record for a sample: the time of the tick, which is equal on all nodes. If the
 * tick is late by more than 10 ms, or by more than 1/100 of the interval, return the current time
 * instead.
 */
static int64_t ticker_sample_time(const struct ticks *t, int64_t now)
{
	int64_t tick = ticker_tick_before(t, now);
	int64_t slack = t->interval_us / 100;
	if (slack > 10000)
		slack = 10000;
	return now - tick <= slack ? tick : now;
}

/*
 * Read the number of the timer's ticks since the last call. Returns 0 if a sample is due, -EAGAIN
 * if none is due, -ECANCELED if the clock was set (the timer is then set again), or another -errno.
 */
static int ticker_read_ticks(struct ticks *t, uint64_t *ticks)
{
	if (read(t->fd, ticks, sizeof(*ticks)) == sizeof(*ticks))
		return 0;
	int e = -errno;
	int r = e == -ECANCELED ? ticker_arm(t) : 0;
	return r < 0 ? r : e;
}

static int ticker_ignore_spurious(int r)
{
	return r == -EAGAIN || r == -ECANCELED ? 0 : r;
}

/*
 * Take a live sample (struct config, .live_us), unless a sample for the archive was taken shortly
 * before or is due shortly: sinks that get live samples also get samples of the archive.
 */
static int ticker_on_live(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct ticks *t = arg;
	struct daemon *d = t->daemon;
	int64_t now = realtime_us(), slack = t->interval_us / 3;
	const struct ticks *archive = &d->ticker->archive;
	int64_t before = ticker_tick_before(archive, now), after = before + archive->interval_us;
	uint64_t ticks;
	(void)source;
	(void)fd;
	(void)events;

	int r = ticker_read_ticks(t, &ticks);
	if (r < 0 || now - before < slack || after - now < slack)
		return ticker_ignore_spurious(r);
	r = live_tier_sample(&d->ticker->live_tier, ticker_sample_time(t, now));
	if (r < 0 && r != t->last_error)
		log_error("%s/" CONFIG_LIVE_DIR ": %s; nodometer-send gets no live samples",
			  d->config.runtime_dir, strerror(-r));
	t->last_error = r;
	return 0;
}

static int ticker_on_tick(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct ticks *t = arg;
	struct daemon *d = t->daemon;
	uint64_t ticks;
	(void)source;
	(void)fd;
	(void)events;

	int r = ticker_read_ticks(t, &ticks);
	if (r == -ECANCELED)
		log_notice("the clock was set; ticks follow the new time");
	if (r < 0)
		return ticker_ignore_spurious(r);
	r = recorder_tick(&d->recorder, ticker_sample_time(t, realtime_us()), ticks - 1);
	if (r < 0 && r != t->last_error)
		log_error("%s/%s: %s", d->config.dir, d->recorder.host.name, r == -ENOBUFS ?
			  "samples are lost: memory is full of marks" : strerror(-r));
	t->last_error = r;
	cgroups_tick(d);
	spool_follow(d);
	daemon_tidy(d, recorder_wants_tidy(&d->recorder));
	return 0;
}

static int ticker_start_ticks(struct daemon *d, struct ticks *t, int64_t interval_us,
			      sd_event_io_handler_t on)
{
	t->daemon = d;
	t->interval_us = interval_us;
	/* a hash of the hostname, so that a host always has the same offset */
	t->offset_us = d->config.spread_us ?
		(int64_t)(str_hash(str_of(d->recorder.host.name)) %
			  (uint64_t)d->config.spread_us) : 0;
	t->fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (t->fd < 0)
		return -errno;
	int r = ticker_arm(t);
	if (r == 0)
		r = sd_event_add_io(d->event, &t->source, t->fd, EPOLLIN, on, t);
	return r < 0 ? r : 0;
}

static void ticker_stop_ticks(struct ticks *t)
{
	sd_event_source_unref(t->source);
	close_fd(&t->fd);
}

int ticker_start(struct daemon *d)
{
	struct ticker *t = d->ticker = xrealloc(NULL, sizeof(*t));
	*t = (struct ticker){ .archive = { .fd = -1 }, .live = { .fd = -1 } };
	int r = ticker_start_ticks(d, &t->archive, d->config.interval_us, ticker_on_tick);
	if (r < 0 || !d->config.live_us)
		return r;
	live_tier_open(&t->live_tier, &d->recorder);
	return ticker_start_ticks(d, &t->live, d->config.live_us, ticker_on_live);
}

void ticker_stop(struct daemon *d)
{
	if (!d->ticker)
		return;
	ticker_stop_ticks(&d->ticker->archive);
	ticker_stop_ticks(&d->ticker->live);
	live_tier_close(&d->ticker->live_tier);
	free(d->ticker);
	d->ticker = NULL;
}

const struct live_tier *ticker_live(const struct daemon *d)
{
	return &d->ticker->live_tier;
}
