/* SPDX-License-Identifier: BSD-3-Clause */
/* daemon.h - the agent's loop and what its parts share */
#pragma once

#include <sys/socket.h>
#include <systemd/sd-event.h>
#include "base/budget.h"
#include "base/system/users.h"
#include "recorder/options.h"
#include "recorder/live_tier.h"

#define PEERS_MAX 1024	/* connections to the control socket at a time */
#define REFUSED_USERS 16	/* whose requests are counted one by one */
#define GUEST_USERS   64

enum { LISTEN_ALL, LISTEN_RESERVED, LISTENS };	/* see control.h */

struct daemon {
	const struct options *options;
	struct config config;
	struct buf refused;		/* why the last reload changed nothing, or empty */
	struct recorder recorder;
	sd_event *event;
	int64_t since_us;

	struct ticker {
		struct daemon *daemon;
		int fd;			/* timerfd on the wall clock */
		int64_t interval_us;
		int64_t offset_us;	/* how long after the multiples this host's ticks are */
		int last_error;		/* said once */
		sd_event_source *source;
	} ticker, live;			/* for the archive, and for the live tier */
	struct live_tier live_tier;
	struct {
		int fd;			/* -1: none */
		sd_event_source *source;
	} listen[LISTENS];
	struct peer {
		int fd;			/* 0: none */
		struct ucred cred;
		bool guest;		/* no name in "users" is its own: see guests_admit() */
		sd_event_source *source;
		char *asks;		/* what waits to be marked together with others, or NULL */
	} peer[PEERS_MAX];
	size_t next_peer;
	sd_event_source *together;	/* when all who ask have been heard */
	int64_t first_ns;		/* monotonic, of the first of them; 0: nobody waits */
	struct guests {
		int64_t second_ns;	/* monotonic, since when these came: */
		size_t n;
		struct guest {
			uid_t uid;
			unsigned came;
		} user[GUEST_USERS];
		unsigned came;
		uint64_t while_us;	/* monotonic, since when so many were turned away: */
		unsigned turned_away;
		sd_event_source *pause;	/* until then nobody is let in */
	} guests;
	struct {
		int64_t since_ns;	/* monotonic */
		unsigned n;
	} asked;			/* for counters by users who may not do more */
	struct trusted {		/* the users in the configuration, see trusted_start() */
		struct members members;
		struct buf rest;	/* names that /etc/passwd and /etc/group lack */
		pid_t asking;		/* the process that asks for these, 0: none */
		int fd;			/* its answer */
		bool reported;		/* that not all are known */
		sd_event_source *answer, *again;
	} trusted;
	struct refusals {		/* in this minute, see refused_note() */
		size_t n;
		struct {
			uid_t uid;
			uint64_t all;
			uint64_t more;	/* since it was logged */
		} user[REFUSED_USERS];
		uint64_t others;
		uint64_t total;		/* since the agent began */
		sd_event_source *timer;
	} refusals;
	sd_event_source *job_file_source, *job_file_retry;
	sd_event_source *spool_source, *spool_retry;
	int64_t spool_busy_ns;	/* monotonic: a hook makes marks since then; 0: none does */
	struct cgroups *cgroups;		/* see cgroups_start() */
	struct {
		int64_t taken_ns;	/* monotonic */
		struct buf types, text;	/* what it is of, and what it says; empty: there is none */
	} sample;		/* the newest for who asks, see sample_now() */
	sd_event_source *between, *ended, *rested;	/* see between_start() */
	struct budget ends;	/* of the readings at the ends of jobs */
	struct tidy tidy;
	struct confinement *confinement;	/* see confinement_start() */
};

/* Runs until SIGTERM or SIGINT. 0, -EINVAL: bad configuration, or another -errno; all is logged. */
int daemon_run(const struct options *o) MUST_CHECK;

/* Parts of it, each begun and ended with the configuration that is in force. 0 or -errno. */
int ticker_start(struct daemon *d) MUST_CHECK;
void ticker_stop(struct daemon *d);
int server_start(struct daemon *d) MUST_CHECK;
void server_stop(struct daemon *d);
void server_mark_waiting(struct daemon *d);	/* all whose request was put off */
int job_file_start(struct daemon *d) MUST_CHECK;
void job_file_stop(struct daemon *d);
void job_file_look(struct daemon *d);	/* what is wrong is logged */
int spool_start(struct daemon *d) MUST_CHECK;
void spool_stop(struct daemon *d);
/*
 * What hooks left is marked before what is asked for now, so that no end comes before its begin.
 * 0, or -EBUSY: a hook is at it, and server_mark_waiting() is called when it no longer is.
 */
int spool_comes_first(struct daemon *d);
void spool_follow(struct daemon *d);	/* a group was handed to the writer: it may hang */
void cgroups_start(struct daemon *d);
void cgroups_stop(struct daemon *d);
void cgroups_tick(struct daemon *d);	/* with each sample: what no event reported */

/* What is read more often than samples are taken. Without it, that is said. */
void between_start(struct daemon *d);
void between_stop(struct daemon *d);

/*
 * Who may do everything at the control socket. Another process asks for names that /etc/passwd
 * lacks, and its answer may come later: no name service is waited for here.
 */
void trusted_start(struct daemon *d);
void trusted_stop(struct daemon *d);
bool trusted_is(const struct daemon *d, const struct peer *p);
bool trusted_is_named(const struct daemon *d, const struct peer *p);	/* not only by "all" */

/* A request was refused: logged for a user who had none, else counted and said once in a minute. */
void refused_note(struct daemon *d, uid_t uid, const char *verb);
void refused_say(struct daemon *d);	/* what was counted */
void refused_put(const struct daemon *d, struct buf *b);	/* for status */

/*
 * Whether a connection of a user who may only ask for the status, or for their own job's counters,
 * is let in: each has so many at a time and in a second, all of them together have so many.
 */
bool guests_admit(struct daemon *d, uid_t uid);
void guests_turned_away(struct daemon *d);	/* one was not: many within a while cost nothing */
void guests_forget(struct daemon *d);

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

void daemon_tidy(struct daemon *d, bool now);	/* see tidy_due() */
