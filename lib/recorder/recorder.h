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

/* Settings and counts; recorder_reopen() does not change them. */
struct recorder_persistent {
	struct programs *programs;	/* BPF programs, borrowed, or NULL */
	int64_t last_us;	/* TIME of the last record group */
	uint64_t samples;	/* number of record groups made */
	uint64_t missed;	/* timer ticks missed */
	uint64_t unreported;	/* timer ticks missed since the last record group */
	uint64_t ended_later;	/* jobs that ended because a later job began */
	uint64_t marks_lost;	/* marks that could neither be written nor be kept in the spool */
};

/*
 * State of an agent, or of a command that takes a single sample.
 *
 * A sample is taken without a lock. Jobs are changed under the jobs lock, RUNTIME-DIR/marks/lock
 * (recorder/spool.h). Record groups are written under the archive lock, DIR/HOST/lock
 * (archive/archiver.h). The agent writes through a writer process. Record groups of an agent wait
 * for up to ten seconds, or longer if they cannot be written. Until they are written, the agent
 * keeps them in a memory-mapped file of the spool, so that they survive a kill.
 */
struct recorder {
	const struct config *config;
	const struct listener *listener;	/* told about errors; may be NULL */
	struct host host;
	struct sampler sampler;
	struct archiver to;
	struct buf schema, below;	/* schema lines and "$below" lines of the header */
	uint32_t header_turn;		/* how often .schema or .below has changed */
	struct buf group;
	struct jobs jobs;
	char jobs_path[CONFIG_TEXT_MAX + 8];
	struct {
		ino_t inode;
		int64_t size, changed_ns;
		/* the caller watches the state file and sets .changed when it is replaced */
		bool watched;
		bool changed;
		int error;	/* -errno of the last attempt to load the state file, or 0 */
	} jobs_file;		/* the state file at the time when it was last loaded or saved */
	struct spool spool;
	bool entered;		/* recorder_enter() took the jobs lock */
	bool lock_timed_out;		/* the last wait for the jobs lock timed out */
	bool marks_only;	/* there is no time for a sample: record only marks */
	/* memory is full: all marks go to the spool, to keep their order */
	bool marks_left;

	struct live live;		/* the newest sample, for summaries */
	struct job_summaries summary;	/* summaries of the running jobs */
	struct buf ended;	/* summary of the job that the last recorder_end() ended */

	struct buf marks;	/* marks of the next record group, lines "%..." */
	/* jobs of the next record group that end without a known begin, as ",ID,ID" */
	struct buf extra_jobs;
	struct buf ids;		/* all jobs of the next record group */
	bool sampled;		/* the sample of the next record group was taken */
	int64_t sampled_us;	/* time of the last sample */
	struct recorder_persistent persistent;
};

/*
 * Close the hardware counters if a job has reserved them, otherwise open them. If `single` is set,
 * the process takes only one sample and opens no counters that start at 0.
 */
void counters_choose(struct sampler *s, const struct jobs *j, bool single);

/*
 * Open a recorder; config is borrowed. Returns 0, or -errno with the path that failed in `error`.
 */
int recorder_open(struct recorder *r, const struct config *config,
		  const struct listener *listener, char *error, size_t size) MUST_CHECK;
/* Set the BPF programs to read types with. recorder_reopen() keeps them. */
void recorder_set_programs(struct recorder *r, struct programs *programs);
/*
 * Close the recorder. Record groups that cannot be written stay in the file of
 * recorder_keep_groups(); without this file, they are lost.
 */
void recorder_close(struct recorder *r);
/* Set the timeout for the archive lock. */
void recorder_set_lock_timeout(struct recorder *r, int lock_ms);

/*
 * From now on, write through a writer process, and keep record groups that cannot be written.
 * lock_ms is the timeout for the archive lock. Returns 0, or -errno if the process cannot be
 * started.
 */
int recorder_serve(struct recorder *r, int lock_ms) MUST_CHECK;
/*
 * Apply a new configuration that the caller has stored in *config. Free the memory of the old one
 * only after this call. Record groups that wait to be written, jobs, figures and counts are kept.
 * Returns 0, or -errno if the new root cannot be opened: the recorder is then unchanged.
 */
int recorder_reopen(struct recorder *r, char *error, size_t size) MUST_CHECK;

/*
 * Write all waiting record groups. If the disk is full or the writer hangs, they stay in memory.
 * Returns 0 or -errno; -EINPROGRESS while the writer hangs.
 */
int recorder_settle(struct recorder *r);

/* State of the recorder and counts since the process started. */
struct recorder_status {
	uint64_t samples, missed, ended_later;
	int64_t last_us;	/* TIME of the last record group */
	size_t waiting;		/* record groups that could not be written yet */
	/* .lost: record groups in memory whose samples were removed to make room */
	uint64_t lost, marks_lost;
	int64_t size;		/* bytes of the archive's file "current", -1: unknown */
	/*
	 * how long the writer process has been busy, if .stopped is set; 0: the process is idle, or
	 * .stopped is NULL
	 */
	int64_t hangs_ns;
	const char *stopped;	/* why the last record group waits, or NULL */
	/* a new file was begun for the last record group, because a sync of the old file failed */
	bool moved;
	/* time at which the archive's folder was found to be removed, 0: never */
	int64_t removed_us;
};
struct recorder_status recorder_status(const struct recorder *r);

/*
 * Return true if old files should be compressed or removed: a file was closed since the last call,
 * or the free space is below free-floor.
 */
bool recorder_wants_tidy(struct recorder *r);

/*
 * Take a sample and write a record group with time usec, 0: now. Its time is stored in
 * r->persistent.last_us. Returns 0 if the marks are safe on the disk or in the runtime directory;
 * -ENOBUFS if the archive cannot be written and memory is full of marks; or another -errno.
 */
int recorder_sample(struct recorder *r, int64_t usec) MUST_CHECK;
/*
 * Take a sample for a timer tick; `missed` ticks were missed before. If samples are taken at short
 * intervals, the record group may be written later.
 */
int recorder_tick(struct recorder *r, int64_t usec, uint64_t missed) MUST_CHECK;
/* Begin a new file of the archive with a sample. Returns the same values as recorder_sample(). */
int recorder_rotate(struct recorder *r) MUST_CHECK;
/*
 * Append a header and one record group with all rows to b, for "collect --stdout". Does not write
 * to the archive. Only recorder_close() may follow.
 */
void recorder_print(struct recorder *r, struct buf *b);

/*
 * Take a sample of the types selected by sampler_set_live(), without writing it; r->ids gets the
 * jobs. If .sampler.restarts is not empty, counters were opened: call recorder_keep() to write the
 * sample.
 */
void recorder_collect_live(struct recorder *r);
int recorder_keep(struct recorder *r) MUST_CHECK;

/*
 * Write parts of a raw file: recorder_put_header() appends the header, and
 * recorder_put_live_group() a record group with the newest sample.
 */
const char *recorder_version(const struct recorder *r);	/* version of the format */
void recorder_put_header(struct recorder *r, struct buf *b);
/*
 * Append a record group of a live sample. Its row of type nodometer has the CPU time since the last
 * archived record group. Failed writes and missed ticks are counted in the next archived record
 * group instead.
 */
void recorder_put_live_group(struct recorder *r, int64_t usec, struct buf *b);

/*
 * From now on, keep the agent's waiting record groups in a file, so that they survive a kill. Take
 * over the record groups that the previous agent left there.
 */
void recorder_keep_groups(struct recorder *r);
/*
 * Write the record groups that an agent left in the spool when it was killed. Does nothing in an
 * agent, or if a running agent owns them. Returns 0 or -errno.
 */
int recorder_write_left(struct recorder *r) MUST_CHECK;

/* Return true in the agent, which may keep record groups in memory to write them later. */
static inline bool recorder_is_agent(const struct recorder *r)
{
	return r->to.keep;
}

/*
 * A process that changes jobs calls recorder_enter(), changes jobs and marks, and then calls
 * recorder_record(), recorder_save_jobs() and recorder_leave().
 */

/*
 * Clear the marks of the next record group, and load the jobs if another process has changed the
 * state file. Samples continue even if the jobs cannot be loaded.
 */
void recorder_look(struct recorder *r);
/*
 * Take the jobs lock. The timeout is agent_ms for an agent; other processes use their timeout for
 * the archive lock. Returns 0, -ETIMEDOUT or -errno. spool_unlock() releases the lock.
 */
int recorder_lock(struct recorder *r, int agent_ms) MUST_CHECK;
/*
 * Take the jobs lock and load the jobs. If `sample` is set, take a sample first, unless a job has
 * reserved the counters. Returns 0, also if the runtime directory is unusable; -ETIMEDOUT if
 * another process holds the lock: going on would overwrite that process's changes.
 */
int recorder_enter(struct recorder *r, bool sample) MUST_CHECK;
/*
 * Write one record group with the current jobs and marks, at time usec, 0: now. Takes a sample
 * unless recorder_enter() has. Returns 0 or -errno. After an error with marks, the jobs are loaded
 * again, so pointers to jobs become invalid.
 */
int recorder_record(struct recorder *r, int64_t usec) MUST_CHECK;
/* save the jobs; a failure is reported to the listener */
void recorder_save_jobs(struct recorder *r);
void recorder_leave(struct recorder *r);	/* releases the lock that recorder_enter() took */
