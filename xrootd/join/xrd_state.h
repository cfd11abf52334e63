/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_state.h - data and functions shared by xrd_join.c, xrd_files.c and saved states */
#pragma once

#include "xrootd/join/facts.h"
#include "xrootd/join/peers.h"

/*
 * An entry that maps a userid to the newest client with that userid, because i and d records and
 * g-stream lines have no other reference to a client. See join_login_id().
 */
struct xrd_login {
	struct xrd_entry entry;
	uint32_t client;
};

struct xrd_join {
	struct xrd_listener to;
	struct xrd_servers servers;
	struct xrd_table table;
	size_t memory;
	uint64_t texts;			/* last number given to xrd_client.texts */
	struct xrd_file *first_waiting, *last_waiting;
	struct xrd_join_counts counts;
	int64_t now;
	int64_t deadline_ns;		/* see xrd_join_hurry(); 0: no deadline */
	struct xrd_server *evicted_of;	/* server of the last evicted entry */
	struct buf object, who;		/* texts of the event that is being reported */
	struct xrd_server *server;	/* server of the current datagram; or NULL */
	struct copy_peers peers;
	bool damaged;			/* the current datagram was not completely understood */
};

/*
 * Find or add an entry of the current server, j->server. join_restore_entry() adds an entry of any
 * server.
 */
static inline void *join_find(struct xrd_join *j, int kind, uint64_t id)
{
	return xrd_table_find(&j->table, j->server->number, kind, id);
}
void *join_add_entry(struct xrd_join *j, int kind, uint64_t id, size_t size);
struct xrd_entry *join_restore_entry(struct xrd_join *j, int kind, uint64_t id, size_t size,
				     uint32_t server, uint16_t holder);
void join_wait(struct xrd_join *j, struct xrd_file *f);		/* let the file wait until f->due */
void join_set_text(struct xrd_join *j, struct xrd_entry *e, char **to, struct str s);

void join_set_login(struct xrd_join *j, struct xrd_client *c, struct str login);

/* Get a client by number, or add it; NULL if id is 0. */
struct xrd_client *join_client_of(struct xrd_join *j, uint32_t id);
struct xrd_client *join_client_named(struct xrd_join *j, struct str userid);

/*
 * Hash the name, process and host of a userid, which together identify a login. The g-stream names
 * clients without their protocol, and has a connection's number where a userid has the server's
 * number.
 */
uint64_t join_login_id(struct str userid);
struct xrd_client *join_client_like(struct xrd_join *j, struct str userid);
void join_client(struct xrd_join *j, struct xrd_file *f, struct xrd_client *c);

/*
 * Get the userid in the file's d record. If it is the same as in the client's login, only the login
 * stores it.
 */
struct str join_userid_of(const struct xrd_file *f);
/*
 * End the access to a file whose number was used again, and report it unless it was reported
 * before. Frees f. Returns a new file with this number.
 */
struct xrd_file *join_replace_file(struct xrd_join *j, struct xrd_file *f);

void join_set_userid(struct xrd_join *j, struct xrd_file *f, struct str userid);
/* Get a file by number, or add it. */
struct xrd_file *join_file_of(struct xrd_join *j, uint32_t id);

struct xrd_transfer join_transfer_of(struct xrd_join *j, const struct xrd_file *f);
static inline bool join_is_open(const struct xrd_file *f)
{
	return f->opened && !f->ended;
}

/* End the access to an open file. Its end time and its counts are known only with XRD_END_CLOSE. */
void join_end_file(struct xrd_join *j, struct xrd_file *f, enum xrd_end why);

void join_close(struct xrd_join *j, struct xrd_file *f, const struct xrd_packet *p,
		const struct xrd_record *r);

/* Report a file, which may free it, if it is complete; else let it wait for late records. */
void join_settle(struct xrd_join *j, struct xrd_file *f);

/* End the files that earlier starts of this server left open. */
void join_end_earlier_starts(struct xrd_join *j, const struct xrd_server *now);

/*
 * Set the sid of j->server from a packet with this code, if it has none. The sid of an "=" record
 * is always the server's, so it replaces a sid that may be a user's (.has_loose_sid).
 */
void join_learn_sid(struct xrd_join *j, char code, uint64_t sid);

/* Count and report an access. */
void join_report(struct xrd_join *j, struct xrd_transfer *t);
/*
 * Store the URL of the other side of a copy in f->close, which must not be NULL. Takes ownership of
 * url, which may be NULL.
 */
void join_name_peer(struct xrd_join *j, struct xrd_file *f, char *url);

/* Remove a file without a report. */
void join_remove_file(struct xrd_join *j, struct xrd_file *f);

void join_evict(struct xrd_join *j, struct xrd_entry *e, enum xrd_end why);
void join_keep_within_memory(struct xrd_join *j);
void join_expire(struct xrd_join *j);
