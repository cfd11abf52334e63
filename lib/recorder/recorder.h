/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder.h - sample this node and write the sample to the archive as one record */
#pragma once

#include "archive/archiver.h"
#include "archive/host.h"
#include "recorder/config.h"
#include "recorder/job_summary.h"
#include "recorder/jobs.h"
#include "recorder/live.h"
#include "recorder/spool.h"

/* Settings of the caller and counts since the process started. recorder_reopen() keeps them. */
struct recorder_kept {
	struct programs *programs;	/* programs in the kernel, borrowed, or NULL */
	int64_t last_us;	/* TIME of the last group */
	uint64_t samples;	/* groups made */
	uint64_t missed;	/* timer ticks missed */
	uint64_t unreported;	/* timer ticks missed since the last group */
	uint64_t ended_later;	/* jobs that ended because a later job began */
	uint64_t marks_lost;	/* marks that could be neither written nor left in the spool */
};

/*
 * A recorder exists once in the agent, and once in a single run from a hook or cron.
 *
 * A sample is taken without a lock. Then the jobs are changed under the jobs lock,
 * RUNTIME-DIR/marks/lock (recorder/spool.h). The group is written under the archive lock,
 * DIR/HOST/lock (archive/archiver.h), by the agent's writer process or by this process itself.
 * Groups of an agent wait for up to ten seconds, or until they can be written, in memory mapped to
 * a file of the spool, so that they survive a kill. recorder/requests.h begins and ends jobs.
 */
struct recorder {
	const struct config *config;
	const struct listener *listener;	/* told about errors; may be NULL */
	struct host host;
	struct sampler sampler;
	struct archiver to;
	struct buf schema, below;	/* parts of the header */
	uint32_t header_turn;		/* how often .schema or .below has changed */
	struct buf group;
	struct jobs jobs;
	char jobs_path[CONFIG_TEXT_MAX + 8];
	struct {
		ino_t inode;
		int64_t size, changed_ns;
		/* the caller watches the file and sets .changed when it is replaced */
		bool watched;
		bool changed;
		int error;	/* -errno of the last attempt to load it, or 0 */
	} jobs_file;		/* the state file as it was last loaded or saved */
	struct spool spool;
	bool entered;		/* recorder_enter() took the jobs lock */
	bool lock_timed_out;		/* the last wait for the jobs lock timed out */
	bool marks_only;	/* there is no time for a sample */
	/* memory is full and marks wait in the spool; later marks must follow them there */
	bool marks_left;

	struct live live;		/* the newest sample, for summaries */
	struct job_summaries summary;	/* summaries of the running jobs */
	struct buf ended;	/* summary made by the last recorder_end() */

	struct buf marks;	/* marks of the next group, lines "%..." */
	/* further jobs of the next group, ",ID,ID": they ended without a known begin */
	struct buf extra_jobs;
	struct buf ids;		/* all jobs of the next group */
	bool sampled;		/* the sample of the next group was taken */
	int64_t sampled_us;	/* time of that sample */
	struct recorder_kept kept;
};

/*
 * Choose the counters for the next sample. Hardware counters are closed if a job has reserved them.
 * single: the process takes only one sample, so counters that start at 0 when opened are useless.
 */
void counters_choose(struct sampler *s, const struct jobs *j, bool single);

/* Open a recorder; config is borrowed. Returns 0, or -errno with the path that failed in error. */
int recorder_open(struct recorder *r, const struct config *config,
		  const struct listener *listener, char *error, size_t size) MUST_CHECK;
/* Let programs in the kernel read some types, from now on and after recorder_reopen(). */
void recorder_set_programs(struct recorder *r, struct programs *programs);
/* Close the recorder. Groups that cannot be written stay in the spool. */
void recorder_close(struct recorder *r);
/* Set the timeout for the archive lock. */
void recorder_set_lock_timeout(struct recorder *r, int lock_ms);

/*
 * Write through a separate process from now on, and keep groups that cannot be written. lock_ms is
 * the timeout for the archive lock. Returns 0, or -errno if the process could not be started.
 */
int recorder_serve(struct recorder *r, int lock_ms) MUST_CHECK;
/*
 * Open a recorder that serves again, with the configuration that replaced the one it was opened
 * with; the heap of the old configuration must still exist. Waiting groups, jobs and their figures,
 * and everything in .kept and .to.counts are kept. Returns 0, or -errno if the new root cannot be
 * opened: then the recorder is as it was.
 */
int recorder_reopen(struct recorder *r, char *error, size_t size) MUST_CHECK;

/*
 * Write all groups collected so far. Groups that cannot be written, because the disk is full or the
 * writer hangs, stay in memory.
 */
void recorder_settle(struct recorder *r);

/* State of the recorder and counts since the process started. */
struct recorder_status {
	uint64_t samples, missed, ended_later;
	int64_t last_us;	/* TIME of the last group */
	size_t waiting;		/* groups that could not be written yet */
	uint64_t lost, marks_lost;
	int64_t size;		/* size of current, -1: unknown */
	int64_t hangs_ns;	/* how long the writer has been busy with a group, 0: idle */
	const char *stopped;	/* why the last group waits, or NULL */
	/* the last group is in a new file because the disk failed to sync */
	bool moved;
	int64_t removed_us;	/* when the folder was found removed, 0: never */
};
struct recorder_status recorder_status(const struct recorder *r);

/* Returns true if a file was closed since the last call, or if free space is below free-floor. */
bool recorder_wants_tidy(struct recorder *r);

/*
 * Take a sample and write a record group at time usec, 0: now. Returns 0 or -errno; -ENOBUFS if the
 * archive cannot be written and memory is full of marks. The group's TIME is in r->kept.last_us.
 * When 0 is returned, marks are on the disk. With an agent, 0 may also mean that the group waits in
 * memory and its marks in the runtime directory.
 */
int recorder_sample(struct recorder *r, int64_t usec) MUST_CHECK;
/*
 * Take a sample for a timer tick after so many missed ticks. With a short interval, the group may
 * still be on its way to the disk.
 */
int recorder_tick(struct recorder *r, int64_t usec, uint64_t missed) MUST_CHECK;
int recorder_rotate(struct recorder *r) MUST_CHECK;
/*
 * Append a header and one group with all rows without writing to the archive, for "collect
 * --stdout".
 */
void recorder_print(struct recorder *r, struct buf *b);

/*
 * Take a sample of the types of sampler_set_live() without writing a group; r->ids gets the jobs.
 * If .sampler.restarts is not empty, call recorder_keep() to write the sample to the archive.
 */
void recorder_collect_live(struct recorder *r);
int recorder_keep(struct recorder *r) MUST_CHECK;

/* The text of a record: the header, and the group of the newest sample with its marks. */
const char *recorder_version(const struct recorder *r);	/* version of the format */
void recorder_put_header(struct recorder *r, struct buf *b);
/* ids is "7,8" or empty, marks are lines "%...". */
void recorder_put_group(struct recorder *r, int64_t usec, struct str ids, struct str marks,
			struct buf *b);

/*
 * Keep the agent's groups in a file from now on, so that they survive a kill, and take over groups
 * of the previous run.
 */
void recorder_keep_groups(struct recorder *r);
/*
 * Write groups that wait in the spool, including those of an agent that was killed. Returns 0 or
 * -errno.
 */
int recorder_write_left(struct recorder *r) MUST_CHECK;

/* Returns true for the agent, whose groups may wait; false for a single run. */
static inline bool recorder_is_agent(const struct recorder *r)
{
	return r->to.keep;
}

/*
 * A process that changes jobs calls recorder_enter(), changes jobs and marks, and then calls
 * recorder_record(), recorder_save_jobs() and recorder_leave().
 */

/*
 * Load the jobs as other processes saved them, and clear the marks. If the jobs cannot be loaded,
 * samples continue.
 */
void recorder_look(struct recorder *r);
/* Take the jobs lock; an agent waits up to agent_ms. Returns 0, -ETIMEDOUT or -errno. */
int recorder_lock(struct recorder *r, int agent_ms) MUST_CHECK;
/*
 * Take the jobs lock and load the jobs. Returns 0, also if the runtime directory is unusable (then
 * nobody can take the lock), or -ETIMEDOUT if another process holds it: going on would overwrite
 * its change. sample: take the sample before the lock, unless a job has reserved the counters.
 */
int recorder_enter(struct recorder *r, bool sample) MUST_CHECK;
/*
 * Write one group with the jobs and marks made so far, at time usec, 0: now. Returns 0 or -errno.
 */
int recorder_record(struct recorder *r, int64_t usec) MUST_CHECK;
void recorder_save_jobs(struct recorder *r);	/* reports a failure itself */
void recorder_leave(struct recorder *r);
