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
	/* contents of the file being read; sharing one small buffer keeps it in the CPU's cache */
	struct buf text;

	/* A file that several collectors need in the same sample is read only once, into .lent. */
	struct files files;
	struct buf lent;
	/* path of the file in .lent; NULL if no file was read in this sample */
	const char *path;

	struct topology topology;	/* CPUs of the node, see source_topology() */
	/* users besides root who may own job directories, see job_owner_is_known() */
	struct users job_owners;
	/* the sample is not archived: report new jobs as new in the next sample, too */
	bool passing;
	struct programs *programs;	/* loaded BPF programs, or NULL */
	/* the run to whose processes type job is limited, or NULL for all jobs */
	struct job_tree *tree;
	/* inotify(7) descriptor if the agent also reads between samples (job_ends.h), or 0 */
	int ended;
};

#define PART_NAME_MAX 32
#define PARTS_HUNG_MAX 8

/*
 * Memory that a worker shares with the agent: if the worker hangs, the next worker sees in which
 * part; see source_enter().
 */
struct worker_parts {
	char reading[PART_NAME_MAX];	/* part that is being read; "" if none */
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
	struct key_plan *plan;	/* plan of which line holds which key, for source_key_values() */
	void *state;		/* state of the collector from source_state(), freed with free(3) */
	/* look for devices that came or went in this sample; otherwise use the last list */
	bool rescan;
	char why[SOURCE_WHY_MAX];	/* last reason why a source was missing */

	/* optional: releases the memory that .state refers to, before .state is freed */
	void (*end_state)(void *state);
	const void *data;	/* constant of the collector, see struct collector */
	struct buf text;	/* contents of the file being read, if .shared is NULL */
	struct worker_parts *parts;	/* parts of this worker; NULL outside a worker */
};

/* Get the BPF program that was loaded for a type, or NULL. */
static inline struct program *source_program(const struct source *s, enum program_name name)
{
	return s->shared && s->shared->programs ? &s->shared->programs->program[name] : NULL;
}

/*
 * Get a BPF program that can be used, or NULL if it is not loaded or has failed: files must then be
 * read.
 */
static inline struct program *source_loaded_program(const struct source *s, enum program_name name)
{
	struct program *p = source_program(s, name);
	return p && p->shared && !p->why[0] ? p : NULL;
}

/* Begin another sample. rescan: collectors look for new devices in this sample. */
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
 * Begin to read a part of the source, up to source_leave(); for types that a worker reads. Returns
 * false if a worker recently hung in this part: the part must then be left out for a while.
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
 * Read a file like source_read(), in pieces of another size (see base/files.h). mountstats needs
 * this, because its records are long.
 */
int source_read_as(struct source *s, const char *path, enum file_read how,
		   struct str *ret) MUST_CHECK;
/*
 * Read a file like source_read(), but only once if several types read the file in the same sample
 * (/proc/stat).
 */
int source_read_shared(struct source *s, const char *path, struct str *ret) MUST_CHECK;
/* Read the file "DIR/NAME/LEAF" like source_read(). The path may have at most 511 bytes. */
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
 * line are ignored: skip is 7 for "Node 0 MemFree: 12 kB". Keys without a metric are ignored;
 * metrics without a line are missing. The line of each key is remembered and verified, so that a
 * second sample costs little more than finding the ends of lines. Returns the number of values
 * found.
 */
size_t row_key_values(struct source *s, struct row r, size_t skip, struct str text);

/*
 * A complete collect() for a file of lines "key value", each of less than 64 bytes. It adds one
 * row, device "-". Returns 0 or -errno.
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
/* returns the whole name, with the prefix */
const char *source_device_name(const struct source *s, size_t i);
