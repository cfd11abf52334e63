/* SPDX-License-Identifier: BSD-3-Clause */
/* source.h - the input of a collector (files, devices, state) and the rows of its sample */
#pragma once

#include "base/files.h"
#include "base/system/topology.h"
#include "base/system/users.h"
#include "collectors/bpf/programs.h"
#include "schema/rows.h"

#define SOURCE_WHY_MAX 120

struct job_tree;	/* see job_tree.h */
struct kept_dir;	/* see source_devices() */
struct key_plan;	/* see row_key_values() */

/* Buffers, files and facts shared by the sources of one process. */
struct shared {
	/* contents of the file being read: one small buffer stays in the CPU's cache */
	struct buf text;

	/* A file that several collectors need in the same sample is read once, into .lent. */
	struct files files;
	struct buf lent;
	const char *path;	/* path of the file in .lent; NULL: none in this sample */

	struct topology topology;	/* for source_topology() */
	struct users job_owners;	/* users besides root, see job_owner_is_known() */
	/* sample is not archived: new jobs must be reported as new again in the next sample */
	bool passing;
	struct programs *programs;	/* loaded BPF programs, or NULL */
	struct job_tree *tree;	/* type job covers only the processes of this run; or NULL */
	/* inotify(7) descriptor of an agent that reads between samples, see job_ends.h; 0: none */
	int ended;
};

#define PART_NAME_MAX 32
#define PARTS_HUNG_MAX 8

/* Memory that a worker shares with the agent and so with its successor; see source_enter(). */
struct worker_parts {
	char reading[PART_NAME_MAX];	/* part being read; "": none */
	size_t n_hung;
	char hung[PARTS_HUNG_MAX][PART_NAME_MAX];
};

/*
 * A collector's input and output. Owns everything in it, and reuses memory from sample to sample;
 * source_free() releases it.
 */
struct source {
	struct rows rows;	/* rows of the current sample */
	struct files files;	/* open files, and the root that the collector sees as "/" */
	struct shared *shared;	/* data shared with the other sources of this process, or NULL */
	uint64_t bytes;		/* bytes read since source_clear() */
	struct kept_dir *devices;
	struct key_plan *plan;	/* lines of the keys, for source_key_values() */
	void *state;		/* state of the collector from source_state(), freed with free(3) */
	/* look for devices that came or went; otherwise trust the last look */
	bool rescan;
	char why[SOURCE_WHY_MAX];	/* last reason why a source was missing */

	/* optional: releases the memory that .state refers to, before .state is freed */
	void (*end_state)(void *state);
	const void *data;	/* constant of the collector, see struct collector */
	struct buf text;	/* contents of the file being read, if .shared is NULL */
	struct worker_parts *parts;	/* NULL outside a worker */
};

/* Get the program loaded for a type, or NULL. */
static inline struct program *source_program(const struct source *s, enum program_name name)
{
	return s->shared && s->shared->programs ? &s->shared->programs->program[name] : NULL;
}

/*
 * Get a usable program, or NULL if the program is not loaded or has failed and files must be read.
 */
static inline struct program *source_loaded_program(const struct source *s, enum program_name name)
{
	struct program *p = source_program(s, name);
	return p && p->shared && !p->why[0] ? p : NULL;
}

/* Begin another sample. rescan: devices are looked for in this sample. */
static inline void shared_clear(struct shared *s, bool rescan)
{
	s->path = NULL;
	if (rescan)
		s->topology.asked = false;
}

void shared_free(struct shared *s);	/* does not close the root */

/* Initialise a source. The root's descriptor is borrowed: source_free() does not close it. */
void source_init(struct source *s, const struct files *root, const struct metric *m, size_t n);
void source_free(struct source *s);
void source_clear(struct source *s);	/* removes all rows; keeps memory and files */

/*
 * Get the collector's state, which is zeroed memory allocated at the first call and kept between
 * samples.
 */
void *source_state(struct source *s, size_t size);
/* releases the state: the next source_state() allocates again */
void source_end_state(struct source *s);

/*
 * Begin to read a part of the source, up to source_leave(); for types read by a worker. Returns
 * false if a worker recently hung in this part: leave it out for a while.
 */
bool source_enter(struct source *s, struct str part);
void source_leave(struct source *s);

/*
 * Read a file below the root. The file stays open from sample to sample. *ret is borrowed until the
 * next read. Returns 0 or -errno; -ENOENT if this node lacks the file. s->why then names the file.
 */
int source_read(struct source *s, const char *path, struct str *ret) MUST_CHECK;
/* Read a file like source_read(), from a descriptor that the collector owns. */
int source_read_fd(struct source *s, int fd, struct str *ret) MUST_CHECK;
/*
 * Read a file like source_read(), in pieces of another size: see base/files.h. mountstats has long
 * records.
 */
int source_read_as(struct source *s, const char *path, enum file_read how,
		   struct str *ret) MUST_CHECK;
/*
 * Read a file like source_read(), if several types read the file in the same sample (/proc/stat).
 */
int source_read_shared(struct source *s, const char *path, struct str *ret) MUST_CHECK;
/* Read the file "DIR/NAME/LEAF", of at most 511 bytes, like source_read(). */
int source_read_in(struct source *s, const char *dir, const char *name, const char *leaf,
		   struct str *ret) MUST_CHECK;

/*
 * Get the topology of the CPUs. *ret is valid until the next rescan. Returns 0, or -ENOENT with
 * s->why set.
 */
int source_topology(struct source *s, const struct topology **ret) MUST_CHECK;

/*
 * Set s->why to the reason why the source is missing, a sentence without a full stop. Returns
 * -ENOENT.
 */
COLD int source_absent(struct source *s, const char *fmt, ...) PRINTF(2, 3);

/*
 * Fill a row from lines "key value": "pgpgin 123", "MemTotal: 123 kB". The first skip bytes of each
 * line are ignored: 7 of "Node 0 MemFree: 12 kB". Keys without a metric are ignored; metrics
 * without a line are missing. The line of each key is remembered and verified, so that a second
 * sample costs little more than finding the ends of lines. Returns the number of values found.
 */
size_t row_key_values(struct source *s, struct row r, size_t skip, struct str text);

/*
 * A complete collect() for a file of lines "key value" of less than 64 bytes: one row, device "-".
 * Returns 0 or -errno.
 */
int source_key_values(struct source *s, const char *path) MUST_CHECK;

/*
 * List the names in a directory below the root that start with prefix, in natural order (node2
 * before node10). The directory is read at the first call, when s->rescan is set, and when the
 * caller changes the directory: only one list is kept. Returns the number of names, or -errno.
 */
int source_devices(struct source *s, const char *dir, const char *prefix) MUST_CHECK;
/* List only the names that is_wanted() accepts. */
int source_devices_if(struct source *s, const char *dir, const char *prefix,
		      bool (*is_wanted)(const char *name)) MUST_CHECK;
const char *source_device_name(const struct source *s, size_t i);	/* includes the prefix */
