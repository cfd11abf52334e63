/* SPDX-License-Identifier: BSD-3-Clause */
/* record.c - nodometer tcp record: snapshots of TCP connections into a .pm file */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/privileges.h"
#include "base/system/sockets.h"
#include "tracers/tcp/job_groups.h"
#include "tracers/tcp/recorder.h"
#include "tracers/tcp/tcp.h"
#include "tracers/tcp/tracepoints.h"

enum { INTERVAL, ONLY, JOB, EVENTS, RING, SECONDS, OUTPUT };
static const struct cli_option options[] = {
	[INTERVAL] = { "interval", "MS",  "milliseconds between snapshots of all connections "
		       "(default 1000)", 'i' },
	[ONLY]     = { "ports",    "L.R", "only connections of this local and remote port; may be "
		       "given often", 'p' },
	[JOB]      = { "job",      "JOB", "only connections of this job's control groups" },
	[EVENTS]   = { "events",   NULL,  "also when the congestion window changes, a segment is "
		       "lost or sent again, a connection changes its state" },
	[RING]     = { "ring",     "N",   "keep the last N snapshots; write them on SIGUSR1 and at "
		       "the end" },
	[SECONDS]  = { "seconds",  "S",   "end after S seconds" },
	[OUTPUT]   = { "output",   "FILE", "write there (default HOST.YYMMDDHHMM.pm)", 'o' },
};
static const struct cli cli = {
	.command = "tcp record", .operands = "", CLI_OPTIONS(options), .page = "nodometer-tcp(1)",
	.about = "Records snapshots of all TCP connections, at an interval and when they close.",
};

struct request {
	struct tcp_recorder r;
	uint64_t interval, ring, seconds;
	const char *job, *output;
	bool events;
	char name[160];
	int signals, ticks;
	int64_t start, end;	/* monotonic; 0: no end */
	uint64_t passed;	/* ticks of the timer, which begin an interval after the start */
	uint64_t moments;	/* at which connections were read: the first at the start */
};

/* "node1.9903051452.pm" */
static const char *usual_name(struct request *q)
{
	char host[65] = "";
	time_t now = time(NULL);
	struct tm tm;
	size_t n;

	gethostname(host, sizeof(host) - 1);
	n = (size_t)snprintf(q->name, sizeof(q->name), "%s.", host[0] ? host : "localhost");
	if (localtime_r(&now, &tm))
		snprintf(q->name + n, sizeof(q->name) - n, "%02d%02d%02d%02d%02d.pm",
			 tm.tm_year % 100, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min);
	return q->name;
}

static void take_request(struct request *q, int argc, char **argv)
{
	const char *arg;

	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		if (o == INTERVAL)
			q->interval = cli_number(&cli, "interval", arg, 1, 86400000);
		else if (o == ONLY)
			ports_add(&q->r.only, &cli, arg);
		else if (o == RING)
			q->ring = cli_number(&cli, "ring", arg, 1, RING_MAX);
		else if (o == SECONDS)
			q->seconds = cli_number(&cli, "seconds", arg, 1, 10000000);
		else if (o == JOB)
			q->job = arg;
		else if (o == EVENTS)
			q->events = true;
		else if (o == OUTPUT)
			q->output = arg;
	}
	if (optind != argc)
		cli_wrong(&cli, "takes no words: %s", argv[optind]);
	if (!q->output)
		q->output = usual_name(q);
}

static int64_t interval_ns(const struct request *q)
{
	return (int64_t)q->interval * 1000000;
}

static struct timespec nanoseconds(int64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

/* Signals and ticks as descriptors. 0 or -errno. */
static int open_clock(struct request *q)
{
	struct itimerspec t = { .it_interval = nanoseconds(interval_ns(q)) };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	q->start = monotonic_ns();
	t.it_value = nanoseconds(q->start + interval_ns(q));
	q->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	q->ticks = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (q->signals < 0 || q->ticks < 0 ||
	    timerfd_settime(q->ticks, TFD_TIMER_ABSTIME, &t, NULL) < 0)
		return -errno;
	q->end = q->seconds ? q->start + (int64_t)q->seconds * 1000000000 : 0;
	return 0;
}

/* All else is open by now: sockets, events, the file. */
static void leave_root(const struct request *q)
{
	int r = privileges_leave_root("", q->job ? job_groups_needs(q->r.job) : 0);
	if (r < 0)
		log_warning("going on as root: %s", strerror(-r));
}

static int dump(struct request *q)
{
	int e = q->ring ? output_dump(&q->r.out, &q->r.s) : 0;
	if (e < 0)
		log_error("%s: %s", q->output, strerror(-e));
	return e;
}

/* 1: it is time to end. */
static int take_signals(struct request *q)
{
	struct signalfd_siginfo s;
	while (read(q->signals, &s, sizeof(s)) == sizeof(s)) {
		if (s.ssi_signo != SIGUSR1)
			return 1;
		int e = dump(q);
		if (e < 0)
			return e;
	}
	return 0;
}

static int wait_ms(const struct request *q)
{
	int64_t left = (q->end - monotonic_ns()) / 1000000 + 1;
	return !q->end ? -1 : left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

/* Whether it is time for a moment. The timer counts moments that passed meanwhile: missed ones. */
static bool take_ticks(struct request *q)
{
	uint64_t n;

	if (read(q->ticks, &n, sizeof(n)) != sizeof(n))
		return false;
	q->passed += n;
	q->r.s.h.missed_moments = q->passed > q->moments ? q->passed - q->moments : 0;
	return true;
}

/* No moment is due after the end; one that came with the signal to end is not missed. */
static void take_last_ticks(struct request *q)
{
	bool any = take_ticks(q);
	uint64_t last = q->passed - (any && !q->end);

	if (q->end && last > (uint64_t)((q->end - q->start) / interval_ns(q)))
		last = (uint64_t)((q->end - q->start) / interval_ns(q));
	q->r.s.h.missed_moments = last >= q->moments ? last + 1 - q->moments : 0;
}

/* A connection that closed before the poll has its last events in the rings by then. */
static int poll_connections(struct request *q)
{
	int e = tcp_recorder_poll(&q->r);

	q->moments++;
	if (e <= 0)
		return e;
	tcp_recorder_events(&q->r);
	tcp_recorder_forget(&q->r);
	return 0;
}

/* 1: the end; 0: go on; or -errno. */
static int step(struct request *q)
{
	struct pollfd p[] = {
		{ .fd = q->signals, .events = POLLIN }, { .fd = q->ticks, .events = POLLIN },
		{ .fd = q->r.ends ? sockets_fd(q->r.ends) : -1, .events = POLLIN },
		{ .fd = q->r.events ? tracepoints_fd(q->r.events) : -1, .events = POLLIN },
	};
	int e = 0;

	if (poll(p, ARRAY_SIZE(p), wait_ms(q)) < 0 && errno != EINTR)
		return -errno;
	tcp_recorder_events(&q->r);
	if (p[2].revents)
		e = tcp_recorder_ends(&q->r);
	if (e == 0 && take_ticks(q))
		e = poll_connections(q);
	if (e == 0)
		e = output_write(&q->r.out, &q->r.s);
	if (e == 0)
		e = take_signals(q);
	return e ? e : q->end && monotonic_ns() >= q->end;
}

static void say_losses(const struct request *q)
{
	const struct pm_header *h = &q->r.s.h;

	if (h->missed_moments)
		log_warning("%s: %llu of %llu moments were missed, since this node was too busy "
			    "for an interval of %llu ms", q->output,
			    (unsigned long long)h->missed_moments,
			    (unsigned long long)(q->moments + h->missed_moments),
			    (unsigned long long)q->interval);
	if (h->lost_snapshots)
		log_warning("%s: %llu snapshots were lost, or more", q->output,
			    (unsigned long long)h->lost_snapshots);
}

static int record(struct request *q)
{
	int e = open_clock(q);
	if (e == 0)
		e = poll_connections(q);
	while (e == 0)
		e = step(q);
	take_last_ticks(q);
	tcp_recorder_last_events(&q->r);
	if (e > 0 && q->r.ends)
		e = tcp_recorder_ends(&q->r);
	if (e >= 0)
		e = output_write(&q->r.out, &q->r.s);
	if (e < 0)
		log_error("%s: %s", q->output, strerror(-e));
	say_losses(q);
	return e < 0 ? e : dump(q);
}

int tcp_record_main(int argc, char **argv)
{
	struct request q = { .interval = 1000, .signals = -1, .ticks = -1,
			     .r = { .sockstat = -1, .out = { .fd = -1 } } };
	int e = 0;

	take_request(&q, argc, argv);
	if (q.job && job_groups_open(&q.r.job, q.job) < 0) {
		log_error("job %s has no control group here", q.job);
		e = -ENOENT;
	}
	if (e == 0 && q.events)
		e = tcp_recorder_open_events(&q.r);
	if (e == 0)	/* the last: it empties the file */
		e = tcp_recorder_open(&q.r, q.output, (size_t)q.ring);
	if (e == 0) {
		leave_root(&q);
		e = record(&q);
	}
	close_fd(&q.signals);
	close_fd(&q.ticks);
	tcp_recorder_close(&q.r);
	return e < 0 ? CLI_FAILED : CLI_OK;
}
