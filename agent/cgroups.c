/* SPDX-License-Identifier: BSD-3-Clause */
/* cgroups.c - watch the cgroups of jobs, to mark jobs that no hook reports */
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

/*
 * A job's cgroup appears before its first process, and some cgroups show the job's id only through
 * a process in them. Look for the id again every RETRY_US (us), up to RETRIES times.
 */
#define RETRY_US 200000
#define RETRIES  25

/*
 * ns; ignore a cgroup that disappears for less than this. If two jobs of a user begin at once,
 * Slurm on cgroup v1 creates, removes and creates a job's directory again within 20 ms on idle
 * CPUs. If the cgroup does not return, the end mark gets the time when the cgroup disappeared.
 */
#define FLICKER_NS 1000000000

/* ns; interval of searches for cgroups whose inotify event was missed */
#define LOOK_NS  60000000000

/* largest number of begin marks per second for new cgroups; further begin marks are delayed */
#define BEGINS_MAX 64
_Static_assert(JOB_DIRS_MAX <= JOBS_MAX / 2, "groups leave room for jobs of hooks");

struct cgroups {
	struct job_dirs dirs;
	struct source s;
	struct job_cgroup now[JOB_DIRS_MAX];
	size_t n;
	struct cgroup_watch {
		uint64_t dev, inode;
		bool wanted;
		sd_event_source *source;	/* NULL if unused */
	} watch[JOB_WATCHES];
	sd_event_source *retry;
	int retries;
	int64_t looked_ns;
	bool has_flickering;		/* a cgroup disappeared less than FLICKER_NS ago */
	/* a begin mark was delayed, because BEGINS_MAX was reached */
	bool has_waiting;
	/*
	 * the first cgroup of a scheduler has appeared, but the newest sample still lacks type
	 * "job"
	 */
	bool scheduler_missed;
	/* new cgroups were not recorded, because a hook holds the jobs lock */
	bool not_recorded;
	/* start of the second in which .n_begun jobs began, in nanoseconds of CLOCK_MONOTONIC */
	int64_t second_ns;
	size_t n_begun;
	bool logged_condor;	/* the reason for not marking HTCondor jobs was logged */
	/* the message that there are more cgroups than JOB_DIRS_MAX was logged */
	bool logged_full;
};

/*
 * Return true if a job directory belongs to this agent's node. If several slurmds run on one host,
 * directories have the node's name: "slurm_n1" or "n1_slurmstepd.scope". An agent without a
 * configured hostname is the only agent on its host, so all directories belong to its node.
 */
static bool cgroups_dir_is_ours(const struct daemon *d, const char *dir)
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
 * For FLICKER_NS after the cgroup of a running job disappears, keep it in .now. Then list it in
 * .now for the last time, with the time at which it disappeared. Returns the number of cgroups that
 * disappeared less than FLICKER_NS ago.
 */
static size_t cgroups_keep_flickering(struct daemon *d, const struct job_cgroup *before, size_t n)
{
	struct cgroups *g = d->cgroups;
	int64_t now = realtime_us();
	size_t kept = 0;
	for (size_t i = 0; i < n && g->n < JOB_DIRS_MAX; i++) {
		struct job_cgroup gone = before[i];
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
	g->has_flickering = kept > 0;
	return kept;
}

/* Return true if a job with a new cgroup may begin now, see BEGINS_MAX. */
static bool cgroups_may_begin(struct daemon *d, struct cgroups *g, const char *id)
{
	if (jobs_find(&d->recorder.jobs, str_of(id)))
		return true;
	if (g->looked_ns - g->second_ns >= 1000000000) {
		g->second_ns = g->looked_ns;
		g->n_begun = 0;
	}
	if (g->n_begun == BEGINS_MAX) {
		g->has_waiting = true;
		return false;
	}
	g->n_begun++;
	return true;
}

static void cgroups_log_full(struct cgroups *g)
{
	if (g->dirs.full && !g->logged_full)
		log_warning("more than %d jobs have control groups: the others are neither marked "
			    "nor read", JOB_DIRS_MAX);
	g->logged_full = g->dirs.full;
}

/*
 * List the jobs that have a cgroup in .now, each job once. A job counts as new if the list recorded
 * last lacks the job. Returns true if .now has changed.
 */
static bool cgroups_list_jobs(struct daemon *d, struct cgroups *g)
{
	static struct job_cgroup before[JOB_DIRS_MAX];
	size_t n_before = g->n, kept = 0;
	memcpy(before, g->now, n_before * sizeof(*before));
	g->n = 0;
	g->has_waiting = false;
	for (size_t i = 0; i < g->dirs.n; i++) {
		const struct job_dir *job = &g->dirs.job[i];
		if (job->slot && !g->logged_condor)
			log_notice("jobs of HTCondor without hooks are not marked: slot %s: %s",
				   job->id, g->dirs.why);
		g->logged_condor |= job->slot;
		if (job->slot || !cgroups_dir_is_ours(d, job->dir) ||
		    job_group_among(g->now, g->n, job->id))
			continue;
		struct job_cgroup *new = &g->now[g->n++];
		new->gone_ns = new->gone_us = 0;
		new->slot = job->inode != 0;
		str_copy(new->id, sizeof(new->id), str_of(job->id));
		new->is_new = g->not_recorded || !job_group_among(before, n_before, job->id);
		if (new->is_new && !cgroups_may_begin(d, g, new->id)) {
			g->n--;
			continue;
		}
		kept += !new->is_new;
	}
	kept += cgroups_keep_flickering(d, before, n_before);
	return g->n != n_before || kept != n_before;
}

/* Return true if a job has lost its cgroup and its hook has not reported the end yet. */
static bool cgroups_job_waits_for_hook(const struct jobs *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->job[i].gone_us)
			return true;
	return false;
}

static int cgroups_on_event(sd_event_source *source, const struct inotify_event *event, void *arg);
static int cgroups_on_retry(sd_event_source *source, uint64_t usec, void *arg);

static struct cgroup_watch *cgroups_find_watch(struct cgroups *g, uint64_t dev, uint64_t inode)
{
	struct cgroup_watch *unused = NULL;
	for (size_t i = 0; i < JOB_WATCHES; i++) {
		struct cgroup_watch *w = &g->watch[i];
		if (w->source && w->dev == dev && w->inode == inode)
			return w;
		if (!w->source)
			unused = w;
	}
	return unused;
}

/*
 * Watch the directories that the last job_dirs_look() has visited, by their paths /proc/self/fd/N,
 * because inotify_add_watch(2) takes a path. Existing watches are kept, because removing a watch
 * would drop its queued events. Returns true if a watch was added.
 */
static bool cgroups_watch_dirs(struct daemon *d, struct cgroups *g)
{
	char path[32];
	bool any = false;
	for (size_t i = 0; i < JOB_WATCHES; i++)
		g->watch[i].wanted = false;
	for (size_t i = 0; i < g->dirs.watches; i++) {
		struct cgroup_watch *w = cgroups_find_watch(g, g->dirs.watch[i].dev,
							    g->dirs.watch[i].inode);
		if (!w)
			continue;
		w->wanted = true;
		if (w->source)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", g->dirs.watch[i].fd);
		if (sd_event_add_inotify(d->event, &w->source, path,
					 IN_CREATE | IN_DELETE | IN_ONLYDIR,
					 cgroups_on_event, d) < 0)
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

/*
 * If the list of cgroups has changed, record which jobs have begun and ended. `found` means that
 * the first directory of a scheduler has appeared: then take a sample, so that the sampler finds
 * that type "job" is available. From then on, the values of jobs are also read between samples.
 */
static void cgroups_record(struct daemon *d, struct cgroups *g, bool changed, bool found)
{
	int r = 0;
	if (changed || cgroups_job_waits_for_hook(&d->recorder.jobs))
		r = spool_comes_first(d) < 0 ? -ETIMEDOUT :
			recorder_groups(&d->recorder, g->now, g->n);
	g->not_recorded = r == -ETIMEDOUT;
	if (r == 0 && found)
		r = recorder_sample(&d->recorder, 0);
	if (r < 0 && !g->not_recorded)
		log_error("cannot mark jobs found in control groups: %s", strerror(-r));
}

/* Call cgroups_look() again after RETRY_US if a job may begin or end without an inotify event. */
static void cgroups_look_later(struct daemon *d, struct cgroups *g)
{
	bool again = (g->dirs.stale || g->scheduler_missed) && g->retries < RETRIES;
	g->retry = sd_event_source_unref(g->retry);
	if ((again || g->has_flickering || g->has_waiting || g->not_recorded) &&
	    sd_event_add_time(d->event, &g->retry, CLOCK_MONOTONIC,
			      (uint64_t)monotonic_ns() / 1000 + RETRY_US, 0,
			      cgroups_on_retry, d) < 0)
		log_debug("cannot set a timer to look for jobs again; a later sample looks again");
}

static void cgroups_look(struct daemon *d)
{
	struct cgroups *g = d->cgroups;
	bool again = g->dirs.stale || g->scheduler_missed, first = !g->looked_ns;
	job_dirs_look(&g->dirs, &g->s);
	/*
	 * If the first directory of a scheduler has appeared, take samples until one has rows of
	 * type "job", but at most RETRIES samples, because the directory may disappear and return.
	 */
	bool found = g->dirs.scheduler && (!g->scheduler_missed || g->retries < RETRIES) &&
		     sampler_lacks_between(&d->recorder.sampler);
	if (found)
		sampler_look_again(&d->recorder.sampler);
	/* read the last values of jobs that have ended, before their end is recorded */
	sampler_look_between(&d->recorder.sampler, false);
	cgroups_log_full(g);
	g->looked_ns = monotonic_ns();
	bool changed = cgroups_list_jobs(d, g) || g->not_recorded;
	cgroups_record(d, g, changed || first, found);
	g->retries = again ? g->retries + 1 : 0;
	g->scheduler_missed = found && sampler_lacks_between(&d->recorder.sampler);
	cgroups_look_later(d, g);
	g->s.rescan = false;
}

/*
 * Look at all cgroups and watch their directories. After adding watches, look again, because a
 * directory may have changed before its watch was added.
 */
static void cgroups_look_and_watch(struct daemon *d)
{
	struct cgroups *g = d->cgroups;
	int tries = 10;
	bool more;
	do {
		g->s.rescan = true;
		cgroups_look(d);
		more = cgroups_watch_dirs(d, g) || job_dirs_changed(&g->dirs);
	} while (more && --tries);
}

static int cgroups_on_event(sd_event_source *source, const struct inotify_event *event, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)event;
	/* a cgroup whose job id never appears must not use up the retries of later cgroups */
	if (!d->cgroups->scheduler_missed)
		d->cgroups->retries = 0;
	cgroups_look_and_watch(d);
	return 0;
}

static int cgroups_on_retry(sd_event_source *source, uint64_t usec, void *arg)
{
	struct daemon *d = arg;
	(void)source;
	(void)usec;
	cgroups_look(d);
	return 0;
}

void cgroups_tick(struct daemon *d)
{
	struct cgroups *g = d->cgroups;
	if (!g || monotonic_ns() - g->looked_ns < LOOK_NS)
		return;
	cgroups_look_and_watch(d);
}

/*
 * Warn about users of the key scheduler-users that this node does not know. Do not check the key's
 * default, which names users of many schedulers that most nodes lack.
 */
static void cgroups_warn_unknown_users(const struct config *c)
{
	struct buf unknown CLEANUP(buf_free) = { 0 };
	struct users known = { 0 };
	users_add_local(&known, str_of(c->scheduler_users), &unknown);
	if (unknown.n && strcmp(c->scheduler_users, CONFIG_SCHEDULER_USERS) != 0)
		log_warning("scheduler-users: not in /etc/passwd: " STR_FMT "(files that these "
			    "users own do not begin jobs; use numeric user ids)",
			    STR_ARG(buf_str(&unknown)));
}

void cgroups_start(struct daemon *d)
{
	if (!d->config.job_cgroups)
		return;
	cgroups_warn_unknown_users(&d->config);
	struct cgroups *g = xrealloc(NULL, sizeof(*g));
	memset(g, 0, sizeof(*g));
	source_init(&g->s, &d->recorder.sampler.root, NULL, 0);
	g->s.shared = &d->recorder.sampler.shared;
	d->cgroups = g;
	cgroups_look_and_watch(d);
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
