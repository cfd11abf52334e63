/* SPDX-License-Identifier: BSD-3-Clause */
/* daemon.h - the agent: what its parts share, and how each is begun and ended */
#pragma once

#include <sys/socket.h>
#include <systemd/sd-event.h>
#include "archive/tidy.h"
#include "recorder/live_tier.h"
#include "recorder/options.h"

/* A part's state is its own; NULL: it does not run. */
struct daemon {
	const struct options *options;
	struct config config;
	struct buf refused;		/* why the last reload changed nothing, or empty */
	struct programs programs;	/* in the kernel, since the start */
	struct recorder recorder;
	sd_event *event;
	int64_t since_us;
	struct tidy tidy;		/* see daemon_tidy() */
	struct ticker *ticker;
	struct server *server;
	struct trusted *trusted;
	struct refusals *refusals;
	struct job_file *job_file;
	struct spool_watch *spool_watch;
	struct cgroups *cgroups;
	struct job_reads *job_reads;
	struct newest_sample *sample;
	struct confinement *confinement;
};

/* Runs until SIGTERM or SIGINT. 0, -EINVAL: bad configuration, or another -errno; all is logged. */
int daemon_run(const struct options *o) MUST_CHECK;

/* The parts, each begun and ended with the configuration that is in force. 0 or -errno. */

/* Old files are compressed and removed where that is due, or now; see tidy_due(). */
void daemon_tidy(struct daemon *d, bool now);

int ticker_start(struct daemon *d) MUST_CHECK;
void ticker_stop(struct daemon *d);
const struct live_tier *ticker_live(const struct daemon *d);	/* for status */

int server_start(struct daemon *d) MUST_CHECK;
void server_stop(struct daemon *d);
void server_mark_waiting(struct daemon *d);	/* all whose request was put off */

int job_file_start(struct daemon *d) MUST_CHECK;
void job_file_stop(struct daemon *d);
void job_file_look(struct daemon *d);	/* a failure is logged */

/* when_free is called when the lock is free again that a hook had at spool_comes_first(). */
int spool_start(struct daemon *d, void (*when_free)(struct daemon *d)) MUST_CHECK;
void spool_stop(struct daemon *d);
/*
 * Marks of hooks that left them are made before those that are asked for now, so that no end comes
 * before its begin. 0, or -EBUSY: a hook has the lock.
 */
int spool_comes_first(struct daemon *d);
void spool_follow(struct daemon *d);	/* a group was handed to the writer: it may hang */

void cgroups_start(struct daemon *d);
void cgroups_stop(struct daemon *d);
void cgroups_tick(struct daemon *d);	/* with each sample: what no event reported */

/* Values of jobs are read more often than samples are taken. A failure is logged. */
void job_reads_start(struct daemon *d);
void job_reads_stop(struct daemon *d);

/*
 * The users who may do everything at the control socket. Another process asks for names that
 * /etc/passwd lacks, and its answer may come later: no name service is waited for here.
 */
void trusted_start(struct daemon *d);
void trusted_stop(struct daemon *d);
/* Whether the peer of a socket is one of them; named: not only by "all". */
bool trusted_is(const struct daemon *d, const struct ucred *peer, int fd);
bool trusted_is_named(const struct daemon *d, const struct ucred *peer, int fd);

/* A request was refused: logged for a user who had none, else counted and said once in a minute. */
void refusals_note(struct daemon *d, uid_t uid, const char *verb);
void refusals_put(const struct daemon *d, struct buf *b);	/* for status */
void refusals_stop(struct daemon *d);	/* logs the counted ones */

/*
 * The job that a process belongs to: by its control group; where no scheduler made one, the only
 * job of the node. 0, -ENOENT: it was not begun here, -ESRCH: cannot be known.
 */
int peer_job(struct recorder *r, const struct ucred *peer, char *to, size_t size) MUST_CHECK;

/*
 * From here on the agent, and what it starts, reads, writes and calls only what it must. Folders
 * of the configuration are made first: what is not there cannot be allowed.
 */
void confinement_start(struct daemon *d);
int confinement_allows(const struct daemon *d, const struct config *next,
		       struct buf *errors) MUST_CHECK;
void confinement_put(const struct daemon *d, struct buf *b);	/* for status */

/*
 * Adds a sample of the types that are asked for, as text of a raw file: nodometer top shows it.
 * One in a second, whoever asks: 0, -EAGAIN: there was one of other types, -EINVAL: there is none
 * that this user may see, -ENODATA: not yet, -E2BIG: there is no room for it in a reply.
 */
struct control_request;
int sample_now(struct daemon *d, const struct control_request *q, struct buf *to) MUST_CHECK;
void sample_forget(struct daemon *d);
