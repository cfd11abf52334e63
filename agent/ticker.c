/* SPDX-License-Identifier: BSD-3-Clause */
/* ticker.c - samples at the multiples of the interval on the wall clock, on all nodes alike */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "agent/daemon.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"

static int64_t tick_before(const struct daemon *d, int64_t now)
{
	int64_t since = now - d->ticker.offset_us;
	return since - since % d->config.interval_us + d->ticker.offset_us;
}

static int arm(struct daemon *d)
{
	int64_t first = tick_before(d, realtime_us()) + d->config.interval_us;
	int64_t each = d->config.interval_us;
	struct itimerspec t = {
		.it_value = { first / 1000000, first % 1000000 * 1000 },
		.it_interval = { each / 1000000, each % 1000000 * 1000 },
	};
	int flags = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
	return timerfd_settime(d->ticker.fd, flags, &t, NULL) < 0 ? -errno : 0;
}

/*
 * The sample carries the time of its tick, so that those of all nodes agree, unless it is late by
 * more than a hundredth of the interval or 10 ms: then its own.
 */
static int64_t sample_time(const struct daemon *d, int64_t now)
{
	int64_t tick = tick_before(d, now);
	int64_t slack = d->config.interval_us / 100;
	if (slack > 10000)
		slack = 10000;
	return now - tick <= slack ? tick : now;
}

/* What the disk does to one sample is seen with the next one, where that is soon. */
#define SOON_US 10000000

static int take_sample(struct daemon *d)
{
	bool *ahead = &d->recorder.out.ahead;
	*ahead = d->config.interval_us <= SOON_US;
	int r = recorder_sample(&d->recorder, sample_time(d, realtime_us()));
	*ahead = false;
	return r;
}

static int on_tick(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct daemon *d = arg;
	uint64_t ticks;
	(void)source;
	(void)events;

	if (read(fd, &ticks, sizeof(ticks)) != sizeof(ticks)) {
		if (errno != ECANCELED)
			return errno == EAGAIN ? 0 : -errno;
		log_notice("the clock was set; ticks follow the new time");
		return arm(d);
	}
	if (ticks > 1) {
		d->recorder.missed += ticks - 1;
		d->recorder.missed_total += ticks - 1;
	}
	int r = take_sample(d);
	if (r < 0 && r != d->recorder.last_error)
		log_error("%s/%s: %s", d->config.dir, d->recorder.host.name, strerror(-r));
	d->recorder.last_error = r;
	cgroups_tick(d);
	spool_follow(d);
	daemon_tidy(d, d->recorder.out.new_file || d->recorder.out.stored.below_floor);
	d->recorder.out.new_file = false;
	return 0;
}

int ticker_start(struct daemon *d)
{
	struct ticker *t = &d->ticker;
	/* By its name, so that a host keeps its place in the spread. */
	t->offset_us = d->config.spread_us ?
		(int64_t)(str_hash(str_of(d->recorder.host.name)) %
			  (uint64_t)d->config.spread_us) : 0;
	t->fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (t->fd < 0)
		return -errno;
	int r = arm(d);
	if (r == 0)
		r = sd_event_add_io(d->event, &t->source, t->fd, EPOLLIN, on_tick, d);
	return r < 0 ? r : 0;
}

void ticker_stop(struct daemon *d)
{
	d->ticker.source = sd_event_source_unref(d->ticker.source);
	close_fd(&d->ticker.fd);
	d->ticker.fd = -1;
}
