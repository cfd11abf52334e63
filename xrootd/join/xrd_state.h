/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_state.h - what xrd_join.c and xrd_files.c share */
#pragma once

#include "tracers/xrootd/join/peers.h"

enum kind { CLIENT, FILE_ENTRY, LOGIN };

/* Which client has this userid: i and d records name it by its text, see join_login_id(). */
struct login {
	struct xrd_entry entry;
	uint32_t client;
};

struct xrd_join {
	struct xrd_listener to;
	struct xrd_servers servers;
	struct xrd_table table;
	size_t memory;
	uint64_t texts;			/* changes of clients' texts */
	struct xrd_file *first_waiting, *last_waiting;
	struct xrd_join_counts counts;
	int64_t now;
	int64_t deadline_ns;		/* of xrd_join_finish(), 0: none */
	struct xrd_server *evicted_of;	/* whose entry was evicted last */
	struct buf object, who;		/* of the event that is reported */
	struct xrd_server *server;	/* whose datagram is delivered */
	struct peers peers;
	bool damaged;			/* a part of that datagram was not understood */
};

/* All of the server whose datagram is delivered. */
void *join_find(struct xrd_join *j, int kind, uint64_t id);
void *join_add_entry(struct xrd_join *j, int kind, uint64_t id, size_t size);
struct xrd_entry *join_restore_entry(struct xrd_join *j, int kind, uint64_t id, size_t size,
				     uint32_t server, uint16_t holder);
void join_wait(struct xrd_join *j, struct xrd_file *f);		/* until .due */
void join_set_text(struct xrd_join *j, struct xrd_entry *e, char **to, struct str s);

void join_set_client_text(struct xrd_join *j, struct xrd_client *c, char **to, struct str s);

struct xrd_client *join_client_of(struct xrd_join *j, uint32_t id);	/* NULL for 0 */
struct xrd_client *join_client_named(struct xrd_join *j, struct str userid);

/*
 * Events of the g-stream name a client, too, but not its protocol, and its connection for the
 * server's number: name, process and host say who it is, and the LOGIN of these has this id.
 */
uint64_t join_login_id(struct str userid);
struct xrd_client *join_client_like(struct xrd_join *j, struct str userid);
void join_client(struct xrd_join *j, struct xrd_file *f, struct xrd_client *c);

/* The user by the file's d record; where the client's login has it, that text serves both. */
struct str join_userid_of(const struct xrd_file *f);
void join_set_userid(struct xrd_join *j, struct xrd_file *f, struct str userid);
struct xrd_file *join_file_of(struct xrd_join *j, uint32_t id);

struct xrd_transfer join_transfer_of(struct xrd_join *j, const struct xrd_file *f);
bool join_is_open(const struct xrd_file *f);

/* Ends a file that was open; but for XRD_END_CLOSE, when and with which counts is not known. */
void join_end_file(struct xrd_join *j, struct xrd_file *f, enum xrd_end why);

void join_close(struct xrd_join *j, struct xrd_file *f, const struct xrd_packet *p,
		const struct xrd_record *r);

/* Reports a file if nothing is missing, else lets it wait for records that may be late. */
void join_settle(struct xrd_join *j, struct xrd_file *f);

/* The server was started again: what it had open before has ended. */
void join_end_earlier_starts(struct xrd_join *j, const struct xrd_server *now);

void join_learn_sid(struct xrd_join *j, uint64_t sid);

/* An access of which there is nothing but the report of its copy. */
void join_report(struct xrd_join *j, struct xrd_transfer *t);
void join_name_peer(struct xrd_join *j, struct xrd_file *f, char *url);	/* takes it; or NULL */

void join_evict(struct xrd_join *j, struct xrd_entry *e, enum xrd_end why);
void join_keep_within_memory(struct xrd_join *j);
void join_expire(struct xrd_join *j);
