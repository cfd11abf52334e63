/* SPDX-License-Identifier: BSD-3-Clause */
/* daemon.c - the agent's loop: start, reload, end */
#include "agent/daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include "agent/confinement.h"
#include "agent/refusals.h"
#include "agent/sample_now.h"
#include "agent/trusted.h"
#include "archive/explain.h"
#include "base/clock.h"
#include "base/log.h"
#include "recorder/load_programs.h"

#define LOCK_MS 400	/* for the archive's lock: less than the agent waits for its writer */

static int open_recorder(struct daemon *d)
{
	char error[768];
	int r = recorder_open(&d->recorder, &d->config, &log_listener, error, sizeof(error));
	if (r < 0) {
		log_error("%s", error);
		return r;
	}
	d->recorder.sampler.shared.programs = &d->programs;
	return recorder_serve(&d->recorder, LOCK_MS);
}

static int start_parts(struct daemon *d)
{
	int r = d->server ? 0 : server_start(d);
	if (r < 0) {
		log_error("%s/control: %s", d->config.runtime_dir, r == -EADDRINUSE ?
			  "another nodometerd answers there" : strerror(-r));
		return r;
	}
	trusted_start(d->trusted, d->config.users);
	r = spool_start(d, server_mark_waiting);
	if (r < 0)	/* the next start marks them */
		log_warning("%s/marks: %s; what hooks leave there is not marked",
			    d->config.runtime_dir, strerror(-r));
	r = job_file_start(d);
	if (r < 0)	/* marks still come from hooks */
		log_warning("%s: %s; it is not watched", d->config.job_file, strerror(-r));
	cgroups_start(d);
	job_reads_start(d);
	r = ticker_start(d);
	if (r < 0)
		log_error("timer: %s", strerror(-r));
	return r;
}

static void stop_parts(struct daemon *d)
{
	ticker_stop(d);
	job_reads_stop(d);
	cgroups_stop(d);
	job_file_stop(d);
	trusted_stop(d->trusted);
	spool_stop(d);
}

/* Groups that wait for room on the disk, what was counted, and jobs outlive the configuration. */
static int daemon_reload(struct daemon *d)
{
	struct config old = d->config, next;
	struct recorder *r = &d->recorder;
	char error[768] = "";

	d->refused.n = 0;
	int e = options_read(d->options, &next, &d->refused);
	if (e == 0)
		e = config_resolve(&next, &d->refused);
	if (e == 0)
		e = confinement_allows(d->confinement, &next, &d->refused);
	if (e < 0) {
		options_log(buf_str(&d->refused), LOG_LEVEL_ERROR);
		log_error("the configuration stays as it was");
		config_free(&next);
		return e;
	}
	options_log(buf_str(&next.warnings), LOG_LEVEL_WARNING);
	stop_parts(d);
	recorder_settle(r);
	if (strcmp(old.runtime_dir, next.runtime_dir) != 0)
		server_stop(d);		/* else who asks meanwhile waits for us */
	d->config = next;
	e = recorder_reopen(r, error, sizeof(error));
	config_free(&old);
	if (error[0])
		log_error("%s", error);
	if (e == 0)
		e = start_parts(d);
	if (e == 0)
		e = recorder_rotate(r);
	if (e < 0) {
		sd_event_exit(d->event, e);
		return e;
	}
	daemon_tidy(d, true);
	log_info("configuration read again, new file begun");
	return 0;
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *arg)
{
	(void)source;
	(void)info;
	sd_notify(0, "RELOADING=1");
	daemon_reload(arg);
	sd_notify(0, "READY=1");
	return 0;
}

static int watch_signals(struct daemon *d)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	int r = sd_event_add_signal(d->event, NULL, SIGTERM, NULL, NULL);
	if (r >= 0)
		r = sd_event_add_signal(d->event, NULL, SIGINT, NULL, NULL);
	if (r >= 0)
		r = sd_event_add_signal(d->event, NULL, SIGHUP, on_hangup, d);
	if (r >= 0)
		r = sd_event_set_watchdog(d->event, true);
	return r < 0 ? r : 0;
}

/* The first sample at once: it finds the schema and shows that the archive can be written. */
static int loop(struct daemon *d)
{
	int r = start_parts(d);
	if (r < 0)
		return r;
	r = recorder_sample(&d->recorder, 0);
	if (r < 0) {
		struct buf why CLEANUP(buf_free) = { 0 };
		explain_path(&why, d->config.dir, r, true);
		log_error("%s: " STR_FMT, d->config.dir, STR_ARG(buf_str(&why)));
		return r;
	}
	job_file_look(d);
	log_info("nodometerd %s samples %s into %s/%s every %g s, %zu jobs", PACKAGE_VERSION,
		 d->config.root, d->config.dir, d->recorder.host.name,
		 (double)d->config.interval_us / 1e6, d->recorder.jobs.n);
	daemon_tidy(d, true);
	sd_notify(0, "READY=1");
	return sd_event_loop(d->event);
}

static int resolve_counters(struct config *c)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	int r = config_resolve(c, &errors);
	options_log(buf_str(&errors), LOG_LEVEL_ERROR);
	options_log(buf_str(&c->warnings), LOG_LEVEL_WARNING);
	if (r < 0)
		config_free(c);
	return r;
}

int daemon_run(const struct options *o)
{
	static struct daemon d;

	d.options = o;
	d.since_us = realtime_us();
	int r = options_configure(o, &d.config);
	if (r < 0 || resolve_counters(&d.config) < 0)
		return -EINVAL;
	r = sd_event_new(&d.event);
	if (r >= 0)
		r = watch_signals(&d);
	if (r < 0) {
		log_error("event loop: %s", strerror(-r));
		return r;
	}
	load_programs(&d.programs, &d.config);
	d.confinement = confinement_start(o, &d.config, programs_any(&d.programs));
	d.trusted = trusted_new(d.event);
	d.refusals = refusals_new(d.event);
	d.sample = newest_sample_new();
	r = open_recorder(&d);
	if (r == 0) {
		r = loop(&d);
		sd_notify(0, "STOPPING=1");
		stop_parts(&d);
		server_stop(&d);
		recorder_close(&d.recorder);
	}
	newest_sample_free(d.sample);
	refusals_free(d.refusals);
	sd_event_unref(d.event);
	free(d.trusted);
	config_free(&d.config);
	buf_free(&d.refused);
	free(d.confinement);
	programs_free(&d.programs);
	return r;
}
