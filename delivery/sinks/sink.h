/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.h - the interface of a sink, which sends records to one kind of destination */
#pragma once

#include "base/files.h"
#include "base/keys.h"
#include "schema/record.h"

/*
 * How long to use a connection, in seconds. A new connection looks up the receiver's name again, so
 * that a new address of the receiver needs no restart.
 */
#define CONNECTION_LIFE_S 900

struct line_whole;

/* The sender's position in the archive. Valid during put() and flush(). */
struct sink_place {
	int64_t epoch;		/* name of the archive file: its start in seconds since 1970 */
	/* offset of the end of the record in the file's uncompressed text, in bytes */
	uint64_t end;
	bool live;		/* put(): the record is a live sample, which lacks some types */
	/* flush() must deliver now, not defer: the archive file or the sender is about to end */
	bool closing;
	bool last_try;	/* flush(): drop refused records even if the receiver refuses all records */
	unsigned tries;		/* flush(): how often the receiver has refused all records before */
};

/*
 * The node that the records come from, and resources of the sender for the sink. Valid until
 * close().
 */
struct sink_node {
	const char *host;
	const char *types;	/* value of the section's key "types"; see sink_wants() */
	const char *drop;	/* value of the key "drop"; see sink_drops() */
	const char *live_types;	/* types that live samples have; see page_take() */
	/* value of the key "labels": "cluster=a rack=b"; see sink_take_label() */
	const char *labels;
	const struct files *root;	/* the node's root folder */
	int64_t started;	/* start time of the sender, in seconds since 1970 */
	const struct listener *listener;	/* receives the sink's log messages */
	/* --once: the sink waits until hostnames are resolved, because there is no later attempt */
	bool runs_once;
	const char *dir;	/* folder of the archive that the sender reads */
	/*
	 * folder of the sender's state: its folder HOST/ has the cursors; the sink may keep files
	 * here that can be lost without harm
	 */
	const char *state_dir;
	const struct sink_place *place;	/* position of the record being put */
	struct line_whole *whole;	/* the record being put, with all types, as it was read */
	uint64_t *sent;	/* counter of bytes sent, which the sink increases and status shows */
	/*
	 * for sinks with several URLs only: number of the URL in use, from 1, and number of
	 * failovers
	 */
	uint64_t *receiver, *failovers;
	/* seconds for which a failed receiver asks to wait (Retry-After); set by the sink */
	uint64_t *retry_after_s;
};

/*
 * A kind of destination. Each sink runs in its own process and may block. Its state has .size
 * bytes: zeros, with the value of each key at the key's .offset. Functions return 0 or -errno, and
 * may append a reason to why, which is empty before the call. A function that is NULL does nothing.
 */
struct sink {
	const char *name;	/* name of the section [sink NAME] and of the source file */
	const char *about;
	size_t size;
	const struct key *keys;
	size_t n_keys;
	/*
	 * Only the newest record matters: of the records that waited while the sender was down, the
	 * sink gets only the last one. A record whose delivery fails is not sent again, and the
	 * sink itself reports the failure.
	 */
	bool newest_only;
	/* on start the sink gets the newest record, even if it was delivered before */
	bool shown;
	/*
	 * the sink copies whole archive files instead of records: of the keys in struct section, it
	 * has only rate and delay
	 */
	bool files;
	/* without a cursor, the sink starts at the oldest file, not at the next new record */
	bool all;
	/*
	 * The sink gets only the types that it wants, and counters that never wrap: the sender adds
	 * up wraps, also across its restarts. A counter becomes smaller only by a reset; its row
	 * then has a later .since. A reading that may turn out to be a reset is absent. Gauges and
	 * rows with .real are unchanged.
	 */
	bool unfolded;

	/*
	 * Returns true if the sink, with its present keys, wants records as they were read, with
	 * all types. NULL means false.
	 */
	bool (*whole)(const void *state);
	/* Checks the keys together, without side effects. Called for --check and before open(). */
	int (*check)(void *state, struct buf *why);
	/* Called once, at the start. Must not need the network. node stays valid. */
	int (*open)(void *state, const struct sink_node *node, struct buf *why);
	/*
	 * Gets the records in the order of the archive; each is valid during the call. The sink may
	 * store the encoded records until flush(). Returns 0; 1 to ask for a flush() because much
	 * is buffered; or -errno if the record was not accepted and must be put again later.
	 * flush() also follows after about 64 records, and before waiting for new records.
	 */
	int (*put)(void *state, const struct record *g, struct buf *why);
	/*
	 * Gets a line of a file, without its newline, in place of records. Returns the same values
	 * as put(). NULL if the sink takes only records.
	 */
	int (*put_line)(void *state, struct str line, struct buf *why);
	/*
	 * Delivers everything that was put. Returns 0 if all of it is delivered and never comes
	 * again, or -EINPROGRESS if delivery is deferred, which is no failure (not allowed with
	 * .closing).
	 *
	 * A positive value is the number of records that the receiver refuses for ever; all others
	 * are delivered, none comes again, and the feed logs the first reason. A record is refused
	 * if the receiver answers HTTP 400, 413 or 422 to a body with only this record; halve a
	 * refused body of several records to find the refused one. Drop a refused record only if
	 * the receiver accepts a later record, or still accepts an earlier one. Otherwise the
	 * receiver itself may be faulty: return -EBADMSG each time, unless .last_try is set.
	 *
	 * Any other -errno means an error that may pass (HTTP 401, 403, 404, 408, 429, 5xx, no
	 * connection). After an error flush() is called again, after a random backoff, and the sink
	 * still has everything that was put.
	 */
	int (*flush)(void *state, struct buf *why);
	/*
	 * Tries the receiver for --connect, and appends its answer to said: whether it can be
	 * reached and takes the login. Delivers nothing. Called instead of open(), in a process
	 * that is killed after some seconds. Returns 0, or -errno if nothing could be delivered.
	 * NULL if the sink has no receiver to try.
	 */
	int (*probe)(void *state, const struct sink_node *node, struct buf *said);
	/*
	 * Appends lines that describe which records of this host the receiver has, with times from
	 * `since` to before `until`, in microseconds (see formats/clickhouse.h); if until is 0, one
	 * line about the oldest record. Returns 0; -EOPNOTSUPP and why if the receiver cannot be
	 * queried; or another -errno. NULL if no receiver of this kind can be queried.
	 */
	int (*held)(void *state, int64_t since, int64_t until, struct buf *lines, struct buf *why);
	void (*close)(void *state);
};

/* help text of a key "format" */
#define SINK_ENCODINGS "one of the encodings that \"nodometer cat --help\" lists"

#define SINK_KEYS(table) .keys = (table), .n_keys = ARRAY_SIZE(table)

/* all sinks, sorted by name */
extern const struct sink *const sinks[];
extern const size_t n_sinks;
const struct sink *sink_find(struct str name);	/* returns NULL if there is none */

/*
 * Return true if the key "types" lists the type (an empty list means all types but proc) and the
 * key "drop" does not.
 */
bool sink_wants(const struct sink_node *n, struct str type);
/* Return true if the key "drop" lists TYPE.KEY or, if key is empty, TYPE as a whole. */
bool sink_drops(const struct sink_node *n, struct str type, struct str key);

/*
 * Take NAME=VALUE off the front of .labels. A name is [a-z_][a-z0-9_]*, a value has no blanks.
 * Returns false if there is no further label.
 */
bool sink_take_label(struct str *labels, struct str *name, struct str *value);

/* Return true, and the reason in why, if only one of the two keys is set. */
bool sink_has_half_certificate(const char *cert_file, const char *key_file, struct buf *why);
bool sink_has_half_login(const char *user, const char *password_file, struct buf *why);

/*
 * Read the first line of a secret file, without surrounding blanks, as a string. `value` is the
 * value of a key of kind KEY_SECRET: a path, or a word without a slash that names a systemd
 * credential, $CREDENTIALS_DIRECTORY/WORD. Call this at each connect, because the file may be
 * replaced. Returns 0, or -errno and why; -EACCES also if every user may read the file.
 */
int sink_read_secret(const char *value, struct buf *secret, struct buf *why) MUST_CHECK;
/*
 * Open the file that a key names, to check it; also read the line of a password or token. Returns 0
 * and the path as a string; 0 and an empty path if the value names no file, or names a credential
 * while systemd gave this process none at all; or -errno and why, with what to do.
 */
int sink_try_file(const struct key *k, const char *value, struct buf *path,
		  struct buf *why) MUST_CHECK;
/* Return when the secret file was modified, in nanoseconds since 1970, or 0 if there is no file. */
int64_t sink_secret_time(const char *value);
/*
 * Append the path of the secret file, as a string. Returns 0, or -EINVAL and why if systemd gave
 * this process no credentials.
 */
int sink_secret_path(const char *value, struct buf *path, struct buf *why) MUST_CHECK;
