/* SPDX-License-Identifier: BSD-3-Clause */
/* record.c - nodometer tcp record: write snapshots of TCP connections to a .pm file */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/foreign.h"
#include "base/system/sockets.h"
#include "collectors/job_groups.h"
#include "tcp/recorder.h"
#include "tcp/tcp.h"
#include "tcp/tracepoints.h"

enum { INTERVAL, ONLY, JOB, EVENTS, RING, SECONDS, OUTPUT };
static const struct cli_option options[] = {
	[INTERVAL] = { "interval", "MS",  "milliseconds between snapshots of all connections "
		       "(default 1000)", 'i' },
	[ONLY]     = { "ports",    "L.R", "only connections of this local and remote port; may be "
		       "repeated", 'p' },
	[JOB]      = { "job",      "JOB", "only connections of this job's control groups" },
	[EVENTS]   = { "events",   NULL,  "also record changes of window and state, losses and "
		       "retransmits" },
	[RING]     = { "ring",     "N",   "keep the last N snapshots; write them on SIGUSR1 and at "
		       "the end" },
	[SECONDS]  = { "seconds",  "S",   "end after S seconds" },
	[OUTPUT]   = { "output",   "FILE", "write to FILE (default HOST.YYMMDDHHMM.pm)", 'o' },
};
static const struct cli cli = {
	.command = "tcp record", .operands = "", CLI_OPTIONS(options), .page = "nodometer-tcp(1)",
	.about = "Records snapshots of all TCP connections, at an interval and when they close.",
};

struct record_request {
	struct tcp_recorder r;
	uint64_t interval, ring, seconds;
	const char *job, *output;
	bool events;
	char name[160];
	int signals, ticks;
	/*
	 * start and end of the recording (CLOCK_MONOTONIC, ns); .end is 0 if there is no time limit
	 */
	int64_t start, end;
	/* number of timer ticks so far; the first tick comes one interval after the start */
	uint64_t passed;
	/* number of snapshots of all connections so far; the first is taken at the start */
	uint64_t moments;
};

/* Return the default file name, such as "node1.9903051452.pm". */
static const char *record_default_name(struct record_request *q)
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

static void record_parse_arguments(struct record_request *q, int argc, char **argv)
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
	if (cli_refuse_operands(&cli, argc, argv) != CLI_END)
		exit(CLI_WRONG);
	if (!q->output)
		q->output = record_default_name(q);
}

static int64_t record_interval_ns(const struct record_request *q)
{
	return (int64_t)q->interval * 1000000;
}

static struct timespec record_timespec(int64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

/* Open descriptors for signals and for timer ticks. Returns 0 or -errno. */
static int record_open_clock(struct record_request *q)
{
	struct itimerspec t = { .it_interval = record_timespec(record_interval_ns(q)) };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	q->start = monotonic_ns();
	t.it_value = record_timespec(q->start + record_interval_ns(q));
	q->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	q->ticks = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (q->signals < 0 || q->ticks < 0 ||
	    timerfd_settime(q->ticks, TFD_TIMER_ABSTIME, &t, NULL) < 0)
		return -errno;
	q->end = q->seconds ? q->start + (int64_t)q->seconds * 1000000000 : 0;
	return 0;
}

/*
 * Drop root privileges, once sockets, events and the file are open. With --job, keep the
 * capabilities that are needed to read /proc/PID/fd.
 */
static void record_drop_privileges(const struct record_request *q)
{
	foreign_confine(NULL, q->job ? job_groups_needs(q->r.job) : 0, q->job ? MAY_INSPECT : 0,
			&log_listener);
}

static int record_dump_ring(struct record_request *q)
{
	int e = q->ring ? output_dump(&q->r.out, &q->r.s) : 0;
	if (e < 0)
		log_error("%s: %s", q->output, strerror(-e));
	return e;
}

/* Handle signals. Returns 1 if the recording must end, 0 if it continues, or -errno. */
static int record_handle_signals(struct record_request *q)
{
	struct signalfd_siginfo s;
	while (read(q->signals, &s, sizeof(s)) == sizeof(s)) {
		if (s.ssi_signo != SIGUSR1)
			return 1;
		int e = record_dump_ring(q);
		if (e < 0)
			return e;
	}
	return 0;
}

static int record_wait_ms(const struct record_request *q)
{
	int64_t left = (q->end - monotonic_ns()) / 1000000 + 1;
	return !q->end ? -1 : left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

/*
 * Read the timer, and count ticks without a snapshot as missed. Returns true if a snapshot is due.
 */
static bool record_read_ticks(struct record_request *q)
{
	uint64_t n;

	if (read(q->ticks, &n, sizeof(n)) != sizeof(n))
		return false;
	q->passed += n;
	q->r.s.h.missed_moments = q->passed > q->moments ? q->passed - q->moments : 0;
	return true;
}

/*
 * Count missed ticks up to the end of the recording, without a tick that came together with the
 * signal to end.
 */
static void record_count_last_ticks(struct record_request *q)
{
	bool any = record_read_ticks(q);
	uint64_t last = q->passed - (any && !q->end);

	if (q->end && last > (uint64_t)((q->end - q->start) / record_interval_ns(q)))
		last = (uint64_t)((q->end - q->start) / record_interval_ns(q));
	q->r.s.h.missed_moments = last >= q->moments ? last + 1 - q->moments : 0;
}

/*
 * Take a snapshot of all connections. Then read the waiting events before forgetting closed
 * connections, because some of these events belong to them.
 */
static int record_poll_connections(struct record_request *q)
{
	int e = tcp_recorder_poll(&q->r);

	q->moments++;
	if (e <= 0)
		return e;
	tcp_recorder_events(&q->r);
	tcp_recorder_forget(&q->r);
	return 0;
}

/*
 * Wait for a tick, a signal or events, and handle them. Returns 1 if the recording must end, 0 if
 * it continues, or -errno.
 */
static int record_step(struct record_request *q)
{
	struct pollfd p[] = {
		{ .fd = q->signals, .events = POLLIN }, { .fd = q->ticks, .events = POLLIN },
		{ .fd = q->r.ends ? sockets_fd(q->r.ends) : -1, .events = POLLIN },
		{ .fd = q->r.events ? tracepoints_fd(q->r.events) : -1, .events = POLLIN },
	};
	int e = 0;

	if (poll(p, ARRAY_SIZE(p), record_wait_ms(q)) < 0 && errno != EINTR)
		return -errno;
	tcp_recorder_events(&q->r);
	if (p[2].revents)
		e = tcp_recorder_ends(&q->r);
	if (e == 0 && record_read_ticks(q))
		e = record_poll_connections(q);
	if (e == 0)
		e = output_write(&q->r.out, &q->r.s);
	if (e == 0)
		e = record_handle_signals(q);
	return e ? e : q->end && monotonic_ns() >= q->end;
}

static void record_warn_losses(const struct record_request *q)
{
	const struct pm_header *h = &q->r.s.h;

	if (h->missed_moments)
		log_warning("%s: %llu of %llu moments were missed, since this node was too busy "
			    "for an interval of %llu ms", q->output,
			    (unsigned long long)h->missed_moments,
			    (unsigned long long)(q->moments + h->missed_moments),
			    (unsigned long long)q->interval);
	if (h->lost_snapshots)
		log_warning("%s: at least %llu snapshots were lost", q->output,
			    (unsigned long long)h->lost_snapshots);
}

static int record_run(struct record_request *q)
{
	int e = record_open_clock(q);
	if (e == 0)
		e = record_poll_connections(q);
	while (e == 0)
		e = record_step(q);
	record_count_last_ticks(q);
	tcp_recorder_last_events(&q->r);
	if (e > 0 && q->r.ends)
		e = tcp_recorder_ends(&q->r);
	if (e >= 0)
		e = output_write(&q->r.out, &q->r.s);
	if (e < 0)
		log_error("%s: %s", q->output, strerror(-e));
	record_warn_losses(q);
	return e < 0 ? e : record_dump_ring(q);
}

int tcp_record_main(int argc, char **argv)
{
	struct record_request q = { .interval = 1000, .signals = -1, .ticks = -1,
				    .r = { .sockstat = -1, .out = { .fd = -1 } } };
	int e = 0;

	record_parse_arguments(&q, argc, argv);
	if (q.job && job_groups_open(&q.r.job, q.job) < 0) {
		log_error("job %s has no control group here", q.job);
		e = -ENOENT;
	}
	if (e == 0 && q.events)
		e = tcp_recorder_open_events(&q.r);
	if (e == 0)	/* do this last, because it truncates the file */
		e = tcp_recorder_open(&q.r, q.output, (size_t)q.ring);
	if (e == 0) {
		record_drop_privileges(&q);
		e = record_run(&q);
	}
	close_fd(&q.signals);
	close_fd(&q.ticks);
	tcp_recorder_close(&q.r);
	return e < 0 ? CLI_FAILED : CLI_OK;
}
