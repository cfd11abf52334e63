/* SPDX-License-Identifier: BSD-3-Clause */
/* daemon.c - the agent's main loop: start, reload, end */
#include "agent/daemon.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <systemd/sd-daemon.h>
#include "agent/confinement.h"
#include "agent/refusals.h"
#include "agent/sample_now.h"
#include "agent/trusted.h"
#include "archive/explain.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "recorder/load_programs.h"

/* file descriptors that the agent needs with the smallest set of enabled types */
#define DESCRIPTORS_MIN 64
/* ms; how long to wait for the archive lock, less than the agent waits for its writer process */
#define LOCK_WAIT_MS    400

static int daemon_open_recorder(struct daemon *d)
{
	char error[768];
	int r = recorder_open(&d->recorder, &d->config, &log_listener, error, sizeof(error));
	if (r < 0) {
		log_error("%s", error);
		return r;
	}
	recorder_set_programs(&d->recorder, &d->programs);
	return recorder_serve(&d->recorder, LOCK_WAIT_MS);
}

/* Make the server listen in the runtime directory of the configuration. Returns 0 or -errno. */
static int daemon_listen(struct daemon *d, struct buf *errors)
{
	int r = server_start(d);
	if (r < 0)
		buf_addf(errors, "%s/control: %s\n", d->config.runtime_dir, r == -EADDRINUSE ?
			 "another nodometerd answers there" : strerror(-r));
	return r;
}

/*
 * Store the names of the configuration files in the runtime directory: hooks then know that the
 * agent has checked these files (recorder/runtime_dir.h).
 */
static void daemon_note_config(const struct daemon *d)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/" CONFIG_READ, d->config.runtime_dir);
	int r = files_replace(path, buf_str(&d->config.files));
	/* not fatal: without this file, hooks read the whole configuration themselves */
	if (r < 0)
		log_warning("%s: %s", path, strerror(-r));
}

static int daemon_start_parts(struct daemon *d)
{
	trusted_start(d->trusted, d->config.users);
	int r = spool_start(d, server_mark_waiting);
	/* not fatal: hooks' marks stay in the spool until the agent is started again */
	if (r < 0)
		log_warning("%s/marks: %s; marks that hooks leave there are not recorded",
			    d->config.runtime_dir, strerror(-r));
	r = job_file_start(d);
	if (r < 0)	/* not fatal: hooks still make marks through the socket */
		log_warning("cannot watch %s: %s; its jobs are not marked",
			    d->config.job_file, strerror(-r));
	cgroups_start(d);
	job_reads_start(d);
	r = ticker_start(d);
	if (r < 0)
		log_error("timer: %s", strerror(-r));
	return r;
}

static void daemon_stop_parts(struct daemon *d)
{
	ticker_stop(d);
	job_reads_stop(d);
	cgroups_stop(d);
	job_file_stop(d);
	trusted_stop(d->trusted);
	spool_stop(d);
}

static void daemon_stop_server(struct daemon *d, struct server *which)
{
	struct server *kept = d->server;
	d->server = which;
	server_stop(d);
	d->server = kept;
}

/*
 * Switch to the new configuration `next`. The server keeps running unless the runtime directory
 * changes, so requests that arrive meanwhile wait in the server's queue. Returns 0, or -errno and
 * the reason in d->reload_errors if the new root or runtime directory cannot be used: the old
 * configuration then stays in use.
 */
static int daemon_use_config(struct daemon *d, const struct config *next)
{
	struct config old = d->config;
	struct server *server = d->server;
	bool moves = strcmp(old.runtime_dir, next->runtime_dir) != 0;
	char error[768] = "";

	d->config = *next;
	d->server = moves ? NULL : server;
	int e = moves ? daemon_listen(d, &d->reload_errors) : 0;
	if (e == 0) {
		e = recorder_reopen(&d->recorder, error, sizeof(error));
		if (e < 0)
			buf_addf(&d->reload_errors, "%s\n", error);
	}
	if (e < 0) {
		if (moves)
			server_stop(d);
		d->server = server;
		d->config = old;
		return e;
	}
	if (moves)
		daemon_stop_server(d, server);
	config_free(&old);
	return 0;
}

static int daemon_read_config(struct daemon *d, struct config *next)
{
	int e = options_read(d->options, next, &d->reload_errors);
	if (e == 0)
		e = config_resolve(next, &d->reload_errors);
	return e == 0 ? confinement_allows(d->confinement, next, &d->reload_errors) : e;
}

/* Reload the configuration. Counters, jobs and waiting record groups are kept. */
static int daemon_reload(struct daemon *d)
{
	struct config next;
	int parts = 0;

	d->reload_errors.n = 0;
	int e = daemon_read_config(d, &next);
	if (e == 0) {
		options_log(buf_str(&next.warnings), LOG_LEVEL_WARNING);
		daemon_stop_parts(d);
		recorder_settle(&d->recorder);
		e = daemon_use_config(d, &next);
		parts = daemon_start_parts(d);
	}
	if (e < 0) {
		options_log(buf_str(&d->reload_errors), LOG_LEVEL_ERROR);
		log_error("the new configuration is not used; the old one stays in force");
		config_free(&next);
	} else if (parts == 0) {
		parts = recorder_rotate(&d->recorder);
	}
	if (parts < 0 && parts != -ENOBUFS) {
		sd_event_exit(d->event, parts);
		return parts;
	}
	/*
	 * the configuration may name another job file, or the file may have changed while unwatched
	 */
	job_file_look(d);
	if (e < 0)
		return e;
	daemon_note_config(d);
	daemon_tidy(d, true);
	log_info("configuration reloaded, new file started");
	return 0;
}

static int daemon_on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *arg)
{
	(void)source;
	(void)info;
	sd_notify(0, "RELOADING=1");
	daemon_reload(arg);
	sd_notify(0, "READY=1");
	return 0;
}

static int daemon_watch_signals(struct daemon *d)
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
		r = sd_event_add_signal(d->event, NULL, SIGHUP, daemon_on_hangup, d);
	if (r >= 0)
		r = sd_event_set_watchdog(d->event, true);
	return r < 0 ? r : 0;
}

/*
 * Run the main loop. The first sample is taken at once, to check that the archive can be written.
 */
static int daemon_loop(struct daemon *d)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	int r = daemon_listen(d, &errors);
	options_log(buf_str(&errors), LOG_LEVEL_ERROR);
	if (r == 0)
		r = daemon_start_parts(d);
	if (r < 0)
		return r;
	daemon_note_config(d);
	r = recorder_sample(&d->recorder, 0);
	if (r < 0 && r != -ENOBUFS) {
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

static int daemon_resolve_config(struct config *c)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	int r = config_resolve(c, &errors);
	options_log(buf_str(&errors), LOG_LEVEL_ERROR);
	options_log(buf_str(&c->warnings), LOG_LEVEL_WARNING);
	if (r < 0)
		config_free(c);
	return r;
}

/*
 * Fail if the limit of open files is too low, so that the agent does not run out of descriptors
 * later, in the middle of a mark. Called at the start.
 */
static int daemon_check_descriptors(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max >= DESCRIPTORS_MIN)
		return 0;
	log_error("the limit of open files is %llu, but the agent needs %d: raise LimitNOFILE= or "
		  "ulimit -n; hooks write their marks without the agent",
		  (unsigned long long)limit.rlim_max,
		  DESCRIPTORS_MIN);
	return -EINVAL;
}

int daemon_run(const struct options *o)
{
	static struct daemon d;

	d.options = o;
	d.since_us = realtime_us();
	int r = daemon_check_descriptors();
	if (r < 0)
		return r;
	r = options_configure(o, &d.config);
	if (r < 0 || daemon_resolve_config(&d.config) < 0)
		return -EINVAL;
	r = sd_event_new(&d.event);
	if (r >= 0)
		r = daemon_watch_signals(&d);
	if (r < 0) {
		log_error("event loop: %s", strerror(-r));
		return r;
	}
	load_programs(&d.programs, &d.config);
	d.confinement = confinement_start(o, &d.config, programs_any(&d.programs));
	d.trusted = trusted_new(d.event);
	d.refusals = refusals_new(d.event);
	d.sample = newest_sample_new();
	r = daemon_open_recorder(&d);
	if (r == 0) {
		r = daemon_loop(&d);
		sd_notify(0, "STOPPING=1");
		daemon_stop_parts(&d);
		server_stop(&d);
		recorder_close(&d.recorder);
	}
	newest_sample_free(d.sample);
	refusals_free(d.refusals);
	sd_event_unref(d.event);
	free(d.trusted);
	config_free(&d.config);
	buf_free(&d.reload_errors);
	free(d.confinement);
	programs_free(&d.programs);
	return r;
}
