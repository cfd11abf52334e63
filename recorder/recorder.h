/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.h - samples, jobs and marks become record groups of the archive */
#pragma once

#include "recorder/recorder_state.h"

/*
 * What both the agent and a single run from a hook or cron do.
 *
 * A sample is taken without any lock. Then the jobs are changed under the lock of the runtime
 * directory, marks/lock (recorder/spool.h), and the group is written under that of the archive,
 * DIR/HOST/lock (archive/archiver.h): by the agent's writer process, or by this process itself. A
 * group that the agent cannot write, or whose writer does not answer, waits in memory; its marks
 * lie in the runtime directory until they are in the archive.
 */

/*
 * For the next sample: hardware counters are closed if a job has them; single: all counters are
 * that begin at 0, since this process takes one sample.
 */
void counters_choose(struct sampler *s, const struct jobs *j, bool single);

/* 0 or -errno; error says which path could not be used. config is borrowed. */
int recorder_open(struct recorder *r, const struct config *config,
		  const struct listener *listener, char *error, size_t size) MUST_CHECK;
/* What waits in memory is left in the runtime directory. */
void recorder_close(struct recorder *r);

/* The last group has arrived, or waits; where the writer hung and does no more, it is written. */
void recorder_settle(struct recorder *r);

/*
 * Each of these takes one sample and writes one record group; 0 or -errno. The group's TIME is
 * r->last_us. Marks are on the disk when it returns 0; with .out.keep, 0 may also mean that the
 * group waits in memory, and its marks in the runtime directory (r->out.full).
 */
int recorder_sample(struct recorder *r, int64_t usec) MUST_CHECK;	/* usec 0: now */
/*
 * A sample of the types of live-types, for nodometer-send: it goes to RUNTIME-DIR/live, where some
 * minutes of them are, and not into the archive. One that has what no later one has, counters that
 * were opened for it, goes into the archive instead. 0 or -errno.
 */
int recorder_sample_live(struct recorder *r, int64_t usec) MUST_CHECK;

/*
 * A sample of the types in a list, for who asks now: as the text of a raw file. It goes to no file,
 * but to the archive where no later sample has what it has. 0, -ENODATA: it is not known yet what
 * types there are, or -errno of the archive.
 */
int recorder_sample_now(struct recorder *r, struct str list, struct buf *to) MUST_CHECK;
/* -EINVAL: no text, or one that reads as the begin or end of a job. */
int recorder_mark(struct recorder *r, struct str text) MUST_CHECK;
/*
 * job is "JOB", or "JOB key=value ..." with what its scheduler knows of it, see attributes.h; both
 * come into the mark. -EEXIST: the job owns the node already; the sample was taken without a mark.
 * -EINVAL: no id, or bad attributes; -EOVERFLOW: JOBS_MAX jobs own the node.
 */
int recorder_begin(struct recorder *r, struct str job) MUST_CHECK;
/*
 * -ENOENT: no begin of this job was seen here; its end mark was written all the same. -EALREADY:
 * its end was marked within an hour; the sample was taken without a mark. r->ended is then what is
 * known of the job, however little, but for -EINVAL.
 */
int recorder_end(struct recorder *r, struct str job) MUST_CHECK;
/*
 * All of them in their order, with one sample and one group; a job that ends and begins again among
 * them makes it two. What was asked for a second or more ago has its own time in its mark, " at=".
 * Each has its result; 0 or -errno of the group. Where another process changes the jobs for long,
 * the agent leaves them for recorder_drain() (REQUEST_LEFT), and who is no agent fails: -ETIMEDOUT.
 */
int recorder_requests(struct recorder *r, struct request *q, size_t n) MUST_CHECK;
/*
 * Marks what was left in the runtime directory, in the order of its time, and writes groups that
 * waited there. *own
 * may be NULL: it gets result and summary of the request of that name. How many requests were
 * marked, -EBUSY: another process is at it; or -errno.
 */
int recorder_drain(struct recorder *r, const char *name, struct request *own) MUST_CHECK;

/*
 * Gives the hardware counters to a job, in this group for the last time: when it returns none is
 * open. -ENOENT: the job does not own the node, no sample was taken; -EALREADY: it has them;
 * -EBUSY: a worker that hangs holds some.
 */
int recorder_release(struct recorder *r, struct str id) MUST_CHECK;
/* Takes them back, id "": from all jobs. -ENOENT: it had none, no sample was taken. */
int recorder_acquire(struct recorder *r, struct str id) MUST_CHECK;
int recorder_rotate(struct recorder *r) MUST_CHECK;
/*
 * Reads the job file and writes what changed: a new id ends the one before, "-" or nothing ends
 * it. 1: a group was written, 0: nothing changed, no sample was taken; -ETIMEDOUT: another process
 * changes the jobs for long, to be tried again; or another -errno.
 */
int recorder_job_file(struct recorder *r) MUST_CHECK;

struct job_group {
	char id[JOB_ID_MAX + 1];
	bool is_new;		/* since the last time */
	bool slot;		/* agent/cgroups.c: its directory bears a slot's name */
	int64_t gone_ns;	/* the same: since when it is not there, 0: it is */
};
bool job_group_among(const struct job_group *g, size_t n, const char *id);

/*
 * The jobs that have a control group now, all of them. One that is new and that no hook began
 * begins; one without its group ends: at once if it began by it, after ten minutes if a hook began
 * it and never said its end. 1: a group was written, 0: nothing changed; -ETIMEDOUT as above, then
 * what was new is new the next time; or another -errno.
 */
int recorder_groups(struct recorder *r, const struct job_group *g, size_t n) MUST_CHECK;

/* Header and one group with all rows, nothing written: "collect --stdout". */
void recorder_print(struct recorder *r, struct buf *b);
