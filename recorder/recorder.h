/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.h - one moment of this node becomes a record of the archive */
#pragma once

#include "archive/archiver.h"
#include "archive/host.h"
#include "recorder/config.h"
#include "recorder/job_summary.h"
#include "recorder/jobs.h"
#include "recorder/live.h"
#include "recorder/spool.h"

/*
 * The agent has one, and so has a single run from a hook or cron.
 *
 * A sample is taken without any lock. Then the jobs are changed under the lock of the runtime
 * directory, marks/lock (recorder/spool.h), and the group is written under that of the archive,
 * DIR/HOST/lock (archive/archiver.h): by the agent's writer process, or by this process itself.
 * Groups of an agent wait in a file of the spool, in memory that outlives a kill: for ten seconds,
 * or until they can be written. Begins and ends of jobs are recorder/requests.h.
 */
struct recorder {
	const struct config *config;
	const struct listener *listener;	/* hears what goes wrong, or NULL */
	struct host host;
	struct sampler sampler;
	struct archiver to;
	struct buf schema, below;	/* of the header, */
	uint32_t header_turn;		/* and how often it changed */
	struct buf group;
	struct jobs jobs;
	char jobs_path[CONFIG_TEXT_MAX + 8];
	struct {
		ino_t inode;
		int64_t size, changed_ns;
		bool watched;	/* whoever holds the recorder says .changed if it is replaced */
		bool changed;
	} jobs_file;		/* as it was loaded or saved last */
	struct spool spool;
	bool entered;		/* the jobs are locked by recorder_enter() */
	bool waited;		/* others locked them the last time, for long */
	bool marks_only;	/* there is no time for a sample */

	struct live live;		/* the newest sample, for the summaries */
	struct job_summaries summary;	/* of the jobs that run */
	struct buf ended;	/* the summary that recorder_end() made last */

	struct buf marks;	/* of the next group, lines "%..." */
	struct buf strays;	/* jobs that it names besides: ",ID,ID" */
	struct buf ids;		/* of all its jobs */
	bool sampled;		/* the sample of the next group was taken, */
	int64_t sampled_us;	/* at this time */
	int64_t last_us;	/* TIME of the last group */
	uint64_t samples;	/* groups so far */
	uint64_t missed, untold;	/* ticks, and those since the last group */
	uint64_t ended_later;	/* jobs that ended by the begin of a later one */
};

/*
 * For the next sample: hardware counters are closed if a job has them; single: all counters are
 * that begin at 0, since this process takes one sample.
 */
void counters_choose(struct sampler *s, const struct jobs *j, bool single);

/* 0 or -errno; error says which path could not be used. config is borrowed. */
int recorder_open(struct recorder *r, const struct config *config,
		  const struct listener *listener, char *error, size_t size) MUST_CHECK;
/* Groups that cannot be written are left in the runtime directory. */
void recorder_close(struct recorder *r);
/* So long the lock of the archive is waited for. */
void recorder_set_patience(struct recorder *r, int lock_ms);

/*
 * From here on a process of its own writes, and groups that cannot be written wait. lock_ms is for
 * the lock of the archive. 0 or -errno: no such process.
 */
int recorder_serve(struct recorder *r, int lock_ms) MUST_CHECK;
/*
 * A recorder that serves begins again with a configuration that took the place of the one before,
 * whose heap is still there. Groups that wait, jobs and their figures, and counts outlive it.
 */
int recorder_reopen(struct recorder *r, char *error, size_t size) MUST_CHECK;

/* All groups so far are written, or wait: the disk is full, or the writer hangs. */
void recorder_settle(struct recorder *r);

/* The fate of the records so far. */
struct recorder_status {
	uint64_t samples, missed, ended_later;
	int64_t last_us;	/* TIME of the last group */
	size_t waiting;		/* groups that could not be written */
	uint64_t lost, marks_lost;
	int64_t size;		/* of current, -1: not known */
	int64_t hangs_ns;	/* how long the writer has been at a group, 0: it is at none */
	const char *stopped;	/* why the last group waits, or NULL */
	bool moved;		/* the last group is in a new file: the disk failed to sync */
	int64_t removed_us;	/* when somebody's removal of the folder was noticed, 0: never */
};
struct recorder_status recorder_status(const struct recorder *r);

/* Whether a file was closed since this was asked last, or the disk has less than free-floor. */
bool recorder_wants_tidy(struct recorder *r);

/*
 * Takes one sample and writes one record group; 0 or -errno. usec 0: now. The group's TIME is
 * r->last_us. Marks are on the disk when it returns 0; of an agent 0 may also mean that the
 * group waits in memory, and its marks in the runtime directory.
 */
int recorder_sample(struct recorder *r, int64_t usec) MUST_CHECK;
/* A sample of the timer, which missed so many ticks; if the next is soon, it may be on its way. */
int recorder_tick(struct recorder *r, int64_t usec, uint64_t missed) MUST_CHECK;
int recorder_rotate(struct recorder *r) MUST_CHECK;
/* Header and one group with all rows, nothing written: "collect --stdout". */
void recorder_print(struct recorder *r, struct buf *b);

/*
 * Takes a sample of the types of sampler_set_live(), with the jobs' r->ids, that no group follows.
 * If it has .sampler.restarts, recorder_keep() has to bring it into the archive.
 */
void recorder_collect_live(struct recorder *r);
int recorder_keep(struct recorder *r) MUST_CHECK;

/* The text of a record: its header, and the group of the newest sample with its marks. */
const char *recorder_version(const struct recorder *r);	/* of the format */
void recorder_put_header(struct recorder *r, struct buf *b);
/* ids is "7,8" or nothing, marks are lines "%...". */
void recorder_put_group(struct recorder *r, int64_t usec, struct str ids, struct str marks,
			struct buf *b);

/* An agent's groups outlive a kill from here on; those of the run before are taken over. */
void recorder_keep_groups(struct recorder *r);
/* Groups that wait, also those of an agent that was killed, into the archive. 0 or -errno. */
int recorder_write_left(struct recorder *r) MUST_CHECK;

/* The agent, whose groups may wait; else a single run. */
static inline bool recorder_is_agent(const struct recorder *r)
{
	return r->to.keep;
}

/* How the jobs change: sample, enter, change jobs and marks, record, save, leave. */

/* The jobs as others left them, and no marks; what is wrong with them stops no sample. */
void recorder_look(struct recorder *r);
/* Takes the lock of the jobs: 0, -ETIMEDOUT or -errno. agent_ms: so long the agent waits for it. */
int recorder_lock(struct recorder *r, int agent_ms) MUST_CHECK;
/*
 * Takes the lock of the jobs, then looks. 0, also where the folder cannot be used, by nobody then;
 * -ETIMEDOUT: another process holds it, and what it does to the jobs would be lost. sample: takes
 * that of the next group before the lock, where it may.
 */
int recorder_enter(struct recorder *r, bool sample) MUST_CHECK;
/* Writes one group, of the jobs and the marks that were made; usec 0: now. 0 or -errno. */
int recorder_record(struct recorder *r, int64_t usec) MUST_CHECK;
void recorder_save_jobs(struct recorder *r);	/* says by itself if that fails */
void recorder_leave(struct recorder *r);
