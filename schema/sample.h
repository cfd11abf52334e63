/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.h - what one collector saw at one moment: rows of values, one row per device */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/files.h"
#include "base/topology.h"
#include "schema/metric.h"

#define SAMPLE_ROWS_MAX 65536	/* more devices of one type than any node has */
#define SAMPLE_WHY_MAX 120

struct devices;		/* see sample_devices() */
struct plan;		/* see row_key_values() */

/* What the samples of one process share. */
struct shared {
	struct buf text;	/* the file that is being read: one buffer stays in the cache */

	/* A file that several collectors need at the same moment: read once, lent to the rest. */
	struct files files;
	struct buf lent;
	const char *path;	/* what .lent holds, NULL: nothing of this moment yet */

	struct topology topology;	/* for sample_topology() */
};

#define PART_NAME_MAX 32
#define PARTS_HUNG_MAX 8

/* What a worker shares with the agent, and so with its successor: see sample_enter(). */
struct parts {
	char reading[PART_NAME_MAX];	/* at this moment; "": none */
	size_t n_hung;
	char hung[PARTS_HUNG_MAX][PART_NAME_MAX];
};

/* What one type cost in this sample, or the agent as a whole. */
struct cost {
	const char *type;	/* NULL: nothing to tell of this type */
	uint64_t cpu_ns, bytes, rows, errors, stalls;
};

/*
 * Owns everything in it and reuses it from sample to sample; sample_free() ends it.
 * n_rows x n_metrics values, row by row, with one bit for each value that was really read:
 * missing is not zero. Device names are made safe when they are added.
 */
struct sample {
	struct shared *shared;	/* with the other samples of this process, or NULL */
	struct files files;	/* the root that the collector sees as "/", and its open files */
	const struct metric *metrics;
	size_t n_metrics;
	const void *data;	/* the collector's own constant, see struct collector */

	size_t n_rows, cap_rows;
	uint64_t *value;
	uint64_t *present;	/* sample_words() words per row */
	struct row_name {
		uint32_t at;		/* into .names */
		uint32_t n : 31;
		uint32_t anew : 1;	/* see sample_row_is_anew() */
	} *name;
	struct buf names;

	bool rescan;		/* look for devices that came or went; else trust the last look */
	struct buf text;	/* the file being read, where nothing is shared */
	struct devices *devices;
	struct plan *plan;	/* sample_key_values(): which line holds which key */
	struct parts *parts;	/* NULL: this is no worker */
	void *state;		/* the collector's own, from sample_state(); freed with free(3) */
	int socket;		/* the collector's own, kept open; 0: none */
	void (*end_state)(void *state);	/* before that: lets go of what .state refers to, or NULL */
	uint64_t bytes;		/* read from sources since sample_clear() */
	char why[SAMPLE_WHY_MAX];	/* the last reason why something was not there */

	const struct cost *cost;	/* for the type that tells the others' cost: theirs, */
	size_t n_costs;
	struct cost agent;		/* and what belongs to no type */
};

static inline size_t sample_words(const struct sample *s)
{
	return (s->n_metrics + 63) / 64;
}

/* Another moment begins; rescan: one at which devices are looked for. */
static inline void shared_clear(struct shared *s, bool rescan)
{
	s->path = NULL;
	if (rescan)
		s->topology.asked = false;
}

void shared_free(struct shared *s);	/* its root is borrowed, too */

/* One row while its collector fills it; valid until the next sample_row(). */
struct row {
	uint64_t *value;
	uint64_t *present;
};

static inline void row_set(struct row r, size_t key, uint64_t value)
{
	r.value[key] = value;
	r.present[key / 64] |= (uint64_t)1 << key % 64;
}

/* rootfd is borrowed: sample_free() leaves it open. */
void sample_init(struct sample *s, const struct files *root, const struct metric *m, size_t n);
void sample_free(struct sample *s);
void sample_clear(struct sample *s);	/* no rows; keeps memory and files */

/* Zeroed memory of the collector's own, allocated at the first call, kept between samples. */
void *sample_state(struct sample *s, size_t size);
void sample_end_state(struct sample *s);	/* lets go of it: the next call allocates anew */

/*
 * Of a type that workers read: from now on this part of the source is read, until
 * sample_leave(). If the worker hangs meanwhile, the next ones leave the part out for a while:
 * false.
 */
bool sample_enter(struct sample *s, struct str part);
void sample_leave(struct sample *s);

/*
 * A new row with nothing present in it. Blanks, control characters, backslashes and bytes that are
 * not ASCII become octal escapes (\040) as in /proc/mounts, an empty name becomes "-".
 */
struct row sample_row(struct sample *s, struct str device);
/* The same for a name that has its octal escapes already: its backslashes stay as they are. */
struct row sample_row_escaped(struct sample *s, struct str device);
void sample_reserve(struct sample *s, size_t rows);	/* memory for that many rows */
void sample_drop_row(struct sample *s);	/* takes the newest row back: it was not read whole */
struct str sample_device(const struct sample *s, size_t row);

/*
 * The newest row is of counters that were opened since the last sample, at 0: nothing can be
 * subtracted from its values of before.
 */
void sample_row_is_anew(struct sample *s);

static inline const uint64_t *sample_values(const struct sample *s, size_t row)
{
	return s->value + row * s->n_metrics;
}

static inline const uint64_t *sample_present(const struct sample *s, size_t row)
{
	return s->present + row * sample_words(s);
}

/*
 * Reads a file below the root, kept open from sample to sample. *ret is borrowed until the next
 * read. 0 or -errno, -ENOENT if this node has no such file; s->why says which.
 */
int sample_read(struct sample *s, const char *path, struct str *ret) MUST_CHECK;
/* The same for a file whose records may be larger than 1 KB (mountstats). */
int sample_read_to_end(struct sample *s, const char *path, struct str *ret) MUST_CHECK;
/* The same for a file that other types of this moment are read from as well (/proc/stat). */
int sample_read_shared(struct sample *s, const char *path, struct str *ret) MUST_CHECK;
/* The same for "DIR/NAME/LEAF", of at most 511 bytes. */
int sample_read_in(struct sample *s, const char *dir, const char *name, const char *leaf,
		   struct str *ret) MUST_CHECK;

/* Where the CPUs are. *ret is valid until the next look for devices. 0, or -ENOENT and s->why. */
int sample_topology(struct sample *s, const struct topology **ret) MUST_CHECK;

/* Says why the type is not there, as a sentence without a full stop, and returns -ENOENT. */
int sample_absent(struct sample *s, const char *fmt, ...) PRINTF(2, 3);

/*
 * Fills a row from lines "key value": "pgpgin 123", "MemTotal:  123 kB". Keys without a metric are
 * ignored, metrics without a line stay absent. Remembers which line holds which key and checks
 * that it is so, so that a second sample costs little more than finding the lines' ends.
 * Returns how many values it found.
 */
size_t row_key_values(struct sample *s, struct row r, struct str text);
/* The same where every line starts with skip bytes of something else ("Node 0 MemFree: 12 kB"). */
size_t row_key_values_behind(struct sample *s, struct row r, size_t skip, struct str text);

/* The whole of a collector whose source is such a file: one row, device "-". 0 or -errno. */
int sample_key_values(struct sample *s, const char *path) MUST_CHECK;

/*
 * Names in a directory below the root that start with prefix, in natural order (node2 before
 * node10), looked for at the first call, when s->rescan is set, and when another directory is
 * asked for: one list is kept. Returns how many, or -errno.
 */
int sample_devices(struct sample *s, const char *dir, const char *prefix) MUST_CHECK;
const char *sample_device_name(const struct sample *s, size_t i);	/* with the prefix */
