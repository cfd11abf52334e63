/* SPDX-License-Identifier: BSD-3-Clause */
/* cgroups.c - watches the control groups of jobs, for jobs that no hook reports */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include "agent/daemon.h"
#include "base/clock.h"
#include "base/log.h"
#include "collectors/job_dirs.h"
#include "recorder/job_sources.h"

/* A job's directory is there before a process that shows its id is in it. */
#define RETRY_US 200000
#define RETRIES  25

/*
 * A group that is gone for less is still there: where two jobs of a user begin at once, Slurm on
 * version 1 makes a job's directory, removes it and makes it again, within 20 ms where CPUs are
 * idle. The end mark has the time when the group went.
 */
#define FLICKER_NS 1000000000

#define LOOK_NS  60000000000	/* for groups that no event reported */

/* No more jobs begin by their groups in a second; the others begin later. */
#define BEGINS_MAX 64
_Static_assert(JOB_DIRS_MAX <= JOBS_MAX / 2, "groups leave room for jobs of hooks");

struct cgroups {
	struct job_dirs dirs;
	struct source s;
	struct job_group now[JOB_DIRS_MAX];
	size_t n;
	struct watch {
		uint64_t dev, inode;
		bool wanted;
		sd_event_source *source;	/* NULL: not in use */
	} watch[JOB_WATCHES];
	sd_event_source *retry;
	int retries;
	int64_t looked_ns;
	bool flickers;		/* a group that is gone may come back */
	bool waits;		/* a group's job will begin later */
	bool missed;		/* a scheduler is there, and the sample after that saw none */
	bool unheard;		/* new groups were not recorded: a hook changes the jobs */
	int64_t second_ns;	/* since when so many began: */
	size_t begins;
	bool reported;		/* why jobs of HTCondor are not marked */
	bool reported_full;		/* more groups than are looked at */
};

/*
 * Several slurmds on one host, each node with an agent of its own: their directories bear the
 * nodes' names, "slurm_n1" or "n1_slurmstepd.scope", and only an agent with a name of its own in
 * the configuration is one of several.
 */
static bool is_ours(const struct daemon *d, const char *dir)
{
	struct str path = str_of(dir), part, name = STR("");
	struct str host = str_of(d->config.hostname), label;
	while (str_take_until(&path, '/', &part)) {
		if (str_take_prefix(&part, STR("slurm_")))
			name = part;
		else if (str_ends(part, STR("_slurmstepd.scope")))
			name = (struct str){ part.p, part.n - strlen("_slurmstepd.scope") };
	}
	if (name.n == 0 || host.n == 0 || str_eq(name, host))
		return true;
	return str_take_until(&host, '.', &label) && str_eq(name, label);
}

/*
 * How many of these are kept in the list, as if their group were there: of jobs that run. A
 * group that is gone for longer is in the list once more, with the time when it went.
 */
static size_t keep_flickering(struct daemon *d, const struct job_group *before, size_t n)
{
	struct cgroups *g = d->cgroups;
	int64_t now = realtime_us();
	size_t kept = 0;
	for (size_t i = 0; i < n && g->n < JOB_DIRS_MAX; i++) {
		struct job_group gone = before[i];
		if (gone.slot || gone.gone_us || job_group_among(g->now, g->n, gone.id) ||
		    !jobs_find(&d->recorder.jobs, str_of(gone.id)))
			continue;
		gone.is_new = false;
		gone.gone_ns = gone.gone_ns ? gone.gone_ns : g->looked_ns;
		int64_t ns = g->looked_ns - gone.gone_ns;
		gone.gone_us = ns >= FLICKER_NS ? now - ns / 1000 : 0;
		g->now[g->n++] = gone;
		kept += !gone.gone_us;
	}
	g->flickers = kept > 0;
	return kept;
}

/* Whether a new group's job can begin at this look, where it has to. */
static bool may_begin(struct daemon *d, struct cgroups *g, const char *id)
{
	if (jobs_find(&d->recorder.jobs, str_of(id)))
		return true;
	if (g->looked_ns - g->second_ns >= 1000000000) {
		g->second_ns = g->looked_ns;
		g->begins = 0;
	}
	if (g->begins == BEGINS_MAX) {
		g->waits = true;
		return false;
	}
	g->begins++;
	return true;
}

static void log_of_full(struct cgroups *g)
{
	if (g->dirs.full && !g->reported_full)
		log_warning("more than %d jobs have control groups: the others are neither marked "
			    "nor read", JOB_DIRS_MAX);
	g->reported_full = g->dirs.full;
}

/* The jobs that have a group now, each once; new are those that the last recorded list lacks. */
static bool list_jobs(struct daemon *d, struct cgroups *g)
{
	static struct job_group before[JOB_DIRS_MAX];
	size_t n_before = g->n, kept = 0;
	memcpy(before, g->now, n_before * sizeof(*before));
	g->n = 0;
	g->waits = false;
	for (size_t i = 0; i < g->dirs.n; i++) {
		const struct job_dir *job = &g->dirs.job[i];
		if (job->slot && !g->reported)
			log_notice("jobs of HTCondor without hooks are not marked: slot %s: %s",
				   job->id, g->dirs.why);
		g->reported |= job->slot;
		if (job->slot || !is_ours(d, job->dir) || job_group_among(g->now, g->n, job->id))
			continue;
		struct job_group *new = &g->now[g->n++];
		new->gone_ns = new->gone_us = 0;
		new->slot = job->inode != 0;
		str_copy(new->id, sizeof(new->id), str_of(job->id));
		new->is_new = g->unheard || !job_group_among(before, n_before, job->id);
		if (new->is_new && !may_begin(d, g, new->id)) {
			g->n--;
			continue;
		}
		kept += !new->is_new;
	}
	kept += keep_flickering(d, before, n_before);
	return g->n != n_before || kept != n_before;
}

/* A job without its group waits for its hook. */
static bool is_waited_for(const struct jobs *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->job[i].gone_us)
			return true;
	return false;
}

static int on_event(sd_event_source *source, const struct inotify_event *event, void *arg);
static int on_retry(sd_event_source *source, uint64_t usec, void *arg);

static struct watch *find_watch(struct cgroups *g, uint64_t dev, uint64_t inode)
{
	struct watch *unused = NULL;
	for (size_t i = 0; i < JOB_WATCHES; i++) {
		struct watch *w = &g->watch[i];
		if (w->source && w->dev == dev && w->inode == inode)
			return w;
		if (!w->source)
			unused = w;
	}
	return unused;
}

/*
 * Watches the directories in which the last walk looked; inotify wants paths. A directory that is
 * watched stays so, with the events that wait to be read. True: another one was added.
 */
static bool watch_dirs(struct daemon *d, struct cgroups *g)
{
	char path[32];
	bool any = false;
	for (size_t i = 0; i < JOB_WATCHES; i++)
		g->watch[i].wanted = false;
	for (size_t i = 0; i < g->dirs.watches; i++) {
		struct watch *w = find_watch(g, g->dirs.watch[i].dev, g->dirs.watch[i].inode);
		if (!w)
			continue;
		w->wanted = true;
		if (w->source)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", g->dirs.watch[i].fd);
		if (sd_event_add_inotify(d->event, &w->source, path,
					 IN_CREATE | IN_DELETE | IN_ONLYDIR, on_event, d) < 0)
			w->source = NULL;
		any |= w->source != NULL;
		w->dev = g->dirs.watch[i].dev;
		w->inode = g->dirs.watch[i].inode;
	}
	for (size_t i = 0; i < JOB_WATCHES; i++)
		if (!g->watch[i].wanted)
			g->watch[i].source = sd_event_source_unref(g->watch[i].source);
	return any;
}

/* From a sample on, type job is read between samples: so one follows when a scheduler comes. */
static void record_groups(struct daemon *d, struct cgroups *g, bool changed, bool found)
{
	int r = 0;
	if (changed || is_waited_for(&d->recorder.jobs))
		r = spool_comes_first(d) < 0 ? -ETIMEDOUT :
			recorder_groups(&d->recorder, g->now, g->n);
	g->unheard = r == -ETIMEDOUT;
	if (r == 0 && found)
		r = recorder_sample(&d->recorder, 0);
	if (r < 0 && !g->unheard)
		log_error("jobs of control groups are not marked: %s", strerror(-r));
}

/* Once more, soon, where there is something that no event will report. */
static void look_later(struct daemon *d, struct cgroups *g)
{
	bool again = (g->dirs.stale || g->missed) && g->retries < RETRIES;
	g->retry = sd_event_source_unref(g->retry);
	if ((again || g->flickers || g->waits || g->unheard) &&
	    sd_event_add_time(d->event, &g->retry, CLOCK_MONOTONIC,
			      (uint64_t)monotonic_ns() / 1000 + RETRY_US, 0, on_retry, d) < 0)
		log_debug("a job's id is looked for with the next sample");
}

static void look(struct daemon *d)
{
	struct cgroups *g = d->cgroups;
	bool again = g->dirs.stale || g->missed, first = !g->looked_ns;
	job_dirs_look(&g->dirs, &g->s);
	/* A sample may have missed it: the first user's directory flickers as a job's does. */
	bool found = g->dirs.scheduler && (!g->missed || g->retries < RETRIES) &&
		     sampler_lacks_between(&d->recorder.sampler);
	if (found)
		sampler_look_again(&d->recorder.sampler);
	sampler_look_between(&d->recorder.sampler, false);	/* before a record: what ended */
	log_of_full(g);
	g->looked_ns = monotonic_ns();
	bool changed = list_jobs(d, g) || g->unheard;
	record_groups(d, g, changed || first, found);
	g->retries = again ? g->retries + 1 : 0;
	g->missed = found && sampler_lacks_between(&d->recorder.sampler);
	look_later(d, g);
	g->s.rescan = false;
}

/* All of it; again, where a directory may have changed before it was watched. */
static void look_and_watch(struct daemon *d)
{
	struct cgroups *g = d->cgroups;
	int tries = 10;
	bool more;
	do {
		g->s.rescan = true;
		look(d);
		more = watch_dirs(d, g) || job_dirs_changed(&g->dirs);
	} while (more && --tries);
}

static int on_event(sd_event_source *source, const struct inotify_event *event, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)event;
	look_and_watch(d);
	return 0;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)usec;
	look(d);
	return 0;
}

void cgroups_tick(struct daemon *d)
{
	struct cgroups *g = d->cgroups;
	if (!g || monotonic_ns() - g->looked_ns < LOOK_NS)
		return;
	look_and_watch(d);
}

/* The default is of a scheduler that is hardly ever there. */
static void warn_of_owners(const struct config *c)
{
	struct buf unknown CLEANUP(buf_free) = { 0 };
	struct users known = { 0 };
	users_add_local(&known, str_of(c->scheduler_users), &unknown);
	if (unknown.n && strcmp(c->scheduler_users, CONFIG_SCHEDULER_USERS) != 0)
		log_warning("scheduler-users: " STR_FMT "not in /etc/passwd: what they own begins "
			    "no job; a number needs no name", STR_ARG(buf_str(&unknown)));
}

void cgroups_start(struct daemon *d)
{
	if (!d->config.job_cgroups)
		return;
	warn_of_owners(&d->config);
	struct cgroups *g = xrealloc(NULL, sizeof(*g));
	memset(g, 0, sizeof(*g));
	source_init(&g->s, &d->recorder.sampler.root, NULL, 0);
	g->s.shared = &d->recorder.sampler.shared;
	d->cgroups = g;
	look_and_watch(d);
}

void cgroups_stop(struct daemon *d)
{
	struct cgroups *g = d->cgroups;
	if (!g)
		return;
	for (size_t i = 0; i < JOB_WATCHES; i++)
		sd_event_source_unref(g->watch[i].source);
	sd_event_source_unref(g->retry);
	job_dirs_free(&g->dirs);
	source_free(&g->s);
	free(g);
	d->cgroups = NULL;
}
