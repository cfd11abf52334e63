/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_state.h - internals of a join, shared by xrd_join.c, xrd_files.c and saved states */
#pragma once

#include "xrootd/join/facts.h"
#include "xrootd/join/peers.h"

/* The client with a userid. i and d records name a client by its userid, see join_login_id(). */
struct xrd_login {
	struct xrd_entry entry;
	uint32_t client;
};

struct xrd_join {
	struct xrd_listener to;
	struct xrd_servers servers;
	struct xrd_table table;
	size_t memory;
	uint64_t texts;			/* number of changes of clients' texts so far */
	struct xrd_file *first_waiting, *last_waiting;
	struct xrd_join_counts counts;
	int64_t now;
	int64_t deadline_ns;		/* deadline of xrd_join_finish(); 0: there is none */
	struct xrd_server *evicted_of;	/* server of the entry that was evicted last */
	struct buf object, who;		/* texts of the event being reported */
	struct xrd_server *server;	/* server of the datagram being delivered */
	struct copy_peers peers;
	bool damaged;			/* the datagram was not completely understood */
};

/* Find, add or restore entries of j->server, the server of the datagram being delivered. */
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

/* Get a client by number; NULL if id is 0. */
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
 * Get the userid of the file's d record. If the client's login has the same userid, both share one
 * text.
 */
struct str join_userid_of(const struct xrd_file *f);
/*
 * End the access to a file, because another access has its number now. Report it unless it was
 * reported before. Returns a new file with the number.
 */
struct xrd_file *join_replace_file(struct xrd_join *j, struct xrd_file *f);

void join_set_userid(struct xrd_join *j, struct xrd_file *f, struct str userid);
struct xrd_file *join_file_of(struct xrd_join *j, uint32_t id);

struct xrd_transfer join_transfer_of(struct xrd_join *j, const struct xrd_file *f);
static inline bool join_is_open(const struct xrd_file *f)
{
	return f->opened && !f->ended;
}

/* End a file that was open. Except with XRD_END_CLOSE, time and counts of its end are unknown. */
void join_end_file(struct xrd_join *j, struct xrd_file *f, enum xrd_end why);

void join_close(struct xrd_join *j, struct xrd_file *f, const struct xrd_packet *p,
		const struct xrd_record *r);

/* Report a file if nothing is missing, else let it wait for records that may be late. */
void join_settle(struct xrd_join *j, struct xrd_file *f);

/* End the files that earlier starts of this server had open. */
void join_end_earlier_starts(struct xrd_join *j, const struct xrd_server *now);

/*
 * Set the sid of j->server from a packet with this code. A "=" record has the server's own sid,
 * which replaces a sid that may be a user's.
 */
void join_learn_sid(struct xrd_join *j, char code, uint64_t sid);

/* Count and report an access. */
void join_report(struct xrd_join *j, struct xrd_transfer *t);
/* Give the file the URL of the other side; takes ownership of url, which may be NULL. */
void join_name_peer(struct xrd_join *j, struct xrd_file *f, char *url);

/* Remove a file without a report. */
void join_remove_file(struct xrd_join *j, struct xrd_file *f);

void join_evict(struct xrd_join *j, struct xrd_entry *e, enum xrd_end why);
void join_keep_within_memory(struct xrd_join *j);
void join_expire(struct xrd_join *j);
