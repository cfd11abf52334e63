/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.h - where records go: one file per destination, which ends in one const struct sink */
#pragma once

#include "base/files.h"
#include "base/keys.h"
#include "schema/record.h"

struct line_whole;

/* How far the archive was read: to be read in put() and flush(). */
struct sink_place {
	int64_t epoch;		/* the file, */
	uint64_t end;		/* and so many bytes of its text: the record is the last of them */
	bool live;		/* put(): it is a sample of the live tier, and lacks types */
	bool closing;		/* flush() is not to wait: the file ends, or the sender does */
	bool last_try;		/* flush(): leave out what is refused, though it is all there is */
};

/* Whose records they are, for the sink to keep; valid until close(). */
struct sink_node {
	const char *host;
	const char *types;	/* the section's key; see sink_wants() */
	const char *drop;	/* likewise; see sink_drops() */
	const char *live_types;	/* types in samples of the live tier, see page_take() */
	const char *labels;	/* likewise: "cluster=a rack=b"; see sink_take_label() */
	const struct files *root;	/* the node's / */
	int64_t started;	/* when the sender was, seconds of the epoch */
	const struct listener *listener;	/* hears what the sink says by itself */
	bool last_chance;	/* --once: what is not ready yet is waited for */
	const char *dir;	/* the archive that is followed: DIR */
	const char *state_dir;	/* for files that the sink may lose */
	const struct sink_place *place;	/* of the record that is put */
	struct line_whole *whole;	/* likewise: that record as it was read */
	uint64_t *sent;		/* the sink adds the bytes that went out; status shows them */
	uint64_t *rest_s;	/* the sink sets how long a receiver that failed asks to rest */
};

/*
 * A sink runs in a process of its own, and may wait: no other one waits for it. Its state is .size
 * bytes of zeros, then what the keys set (.offset is into it). Functions return 0 or -errno, and
 * may say more in why, which is empty before; those that are NULL have nothing to do.
 */
struct sink {
	const char *name;	/* of [sink NAME], and of the file */
	const char *about;
	size_t size;
	const struct key *keys;
	size_t n_keys;
	/*
	 * Only the newest record means something: of records that waited while the sender was down,
	 * the sink gets the last one. A record that fails is not handed out again, and the sink
	 * itself says so.
	 */
	bool newest_only;
	bool shown;	/* the sink starts with that one, delivered before or not */
	bool files;	/* takes files as they are: types, labels and interval are refused */
	bool all;	/* without a cursor the oldest file is first, not a new record */
	/*
	 * The records have the types that the sink wants and no others, and counters that only
	 * grow: wraps are added up, also over restarts. A counter that was set back falls, and
	 * .since of its row is later than before; a reading that may yet prove to be a reset is
	 * absent. Gauges are as they were read, and so is a row with .real.
	 */
	bool unfolded;

	/* Or NULL: whether the keys say that records go as they were read, with all types. */
	bool (*whole)(const void *state);
	/* The keys together, without any effect: at --check and before open(). */
	int (*check)(void *state, struct buf *why);
	/* Once, at the start; no network is needed for it. node stays valid. */
	int (*open)(void *state, const struct sink_node *node, struct buf *why);
	/*
	 * A record, valid during the call, in the order of the archive. The sink may keep what it
	 * made of it; 1: that is much, and is to be flushed (also after some 64 of them, and before
	 * the archive is waited for); -errno: it was not taken, and comes again after a while.
	 */
	int (*put)(void *state, const struct record *g, struct buf *why);
	/* Or NULL. A line of a file, without its end, in place of records: as put(). */
	int (*put_line)(void *state, struct str line, struct buf *why);
	/*
	 * 0: all that was put is delivered, and never comes again. -errno: flush() is called again
	 * after a while, half as long or half again by chance, and the sink still has all that was
	 * put. -EINPROGRESS: not delivered yet, which is no failure; unless .closing. More than 0:
	 * the receiver refuses so many of these records for ever (HTTP 400 of one record; of
	 * several, halve them until one is left), the others are delivered; none comes again, and
	 * the feed counts them and says so, with why. Where the receiver refuses all, the fault may
	 * be its own: that is -EBADMSG, until .last_try. An answer that may change later (401, 403,
	 * 404, 408, 429, 5xx, no connection) is another -errno.
	 */
	int (*flush)(void *state, struct buf *why);
	/*
	 * Or NULL: lines of what the receiver holds of this host, of times from since to before
	 * until, in microseconds, see formats/clickhouse.h; until 0: one, of the first that it
	 * holds. -EOPNOTSUPP and why: it cannot be asked.
	 */
	int (*held)(void *state, int64_t since, int64_t until, struct buf *lines, struct buf *why);
	void (*close)(void *state);
};

/* The help of a key "format". */
#define SINK_ENCODINGS "one of the encodings that \"nodometer export --help\" lists"

#define SINK_KEYS(table) .keys = (table), .n_keys = ARRAY_SIZE(table)

/* All that there are, by name. */
extern const struct sink *const sinks[];
extern const size_t n_sinks;
const struct sink *sink_find(struct str name);	/* or NULL */

/* Whether "types" names it, an empty one being all but proc, and "drop" does not. */
bool sink_wants(const struct sink_node *n, struct str type);
/* Whether "drop" has TYPE.KEY. */
bool sink_drops(const struct sink_node *n, struct str type, struct str key);

/* Takes NAME=VALUE off the front of .labels: a name is [a-z_][a-z0-9_]*, a value has no blank. */
bool sink_take_label(struct str *labels, struct str *name, struct str *value);

/* Whether only one of both keys is set, which why then says. */
bool sink_has_half_certificate(const char *cert_file, const char *key_file, struct buf *why);
bool sink_has_half_login(const char *user, const char *password_file, struct buf *why);

/*
 * The first line of the file that a key KEY_SECRET names (a word without a slash is a credential
 * of systemd, $CREDENTIALS_DIRECTORY/WORD), without blanks around it, as a string. 0, or -errno and
 * why: -EACCES also where every user may read it. Read it at each connect: it may be replaced.
 */
int sink_read_secret(const char *value, struct buf *secret, struct buf *why) MUST_CHECK;
/* When that file was changed, in nanoseconds since 1970; 0: there is none. */
int64_t sink_secret_time(const char *value);
/* The path of that file, as a string: 0, or -EINVAL: systemd gave this process no credentials. */
int sink_secret_path(const char *value, struct buf *path, struct buf *why) MUST_CHECK;
