/* SPDX-License-Identifier: BSD-3-Clause */
/* source.h - the input of a collector (files, devices, state) and its output (rows) */
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

/* Buffers, files and settings shared by the collectors of a process. */
struct shared {
	/* contents of the file being read; a shared buffer stays in the CPU's cache */
	struct buf text;

	/* open files that several collectors read in each sample, see source_read_shared() */
	struct files files;
	struct buf lent;	/* contents of the file that source_read_shared() read last */
	/* path of the file in .lent, borrowed from the caller of source_read_shared(); or NULL */
	const char *path;

	struct topology topology;	/* CPUs of the node, see source_topology() */
	/* users besides root who may own job directories: setting scheduler-users */
	struct users job_owners;
	/*
	 * the sample is not archived: jobs that are new in it also count as new in the next sample
	 */
	bool passing;
	struct programs *programs;	/* loaded BPF programs, or NULL */
	/* the user's run that is sampled; NULL: all jobs of the node are sampled */
	struct job_tree *tree;
	/* inotify(7) descriptor of job_ends.h, or 0 */
	int ended;
};

#define PART_NAME_MAX 32
#define PARTS_HUNG_MAX 8

/*
 * Memory that a worker process shares with the agent. If the worker hangs while it reads a part of
 * a source, such as a chip, the next worker leaves out this part: see source_enter().
 */
struct worker_parts {
	char reading[PART_NAME_MAX];	/* part that is being read; "" if none */
	size_t n_hung;
	char hung[PARTS_HUNG_MAX][PART_NAME_MAX];
};

/*
 * A collector's input and output. The source owns all members except .shared, .parts, .data and the
 * root; source_free() releases its members.
 */
struct source {
	struct rows rows;	/* rows of the current sample */
	struct files files;	/* open files, and the root that the collector sees as "/" */
	struct shared *shared;	/* shared with other collectors of this process, or NULL */
	uint64_t bytes;		/* bytes read since source_clear() */
	struct kept_dir *devices;
	struct key_plan *plan;	/* positions of the keys' lines in the file, for row_key_values() */
	void *state;		/* state of the collector, see source_state(); freed by free() */
	/*
	 * look for new and removed devices in this sample; otherwise use the list of an earlier
	 * sample
	 */
	bool rescan;
	char why[SOURCE_WHY_MAX];	/* reason why the source is missing, as a sentence */

	/* optional: free what .state points to; the caller then frees .state itself */
	void (*end_state)(void *state);
	const void *data;	/* .data of struct collector */
	struct buf text;	/* contents of the file being read, if .shared is NULL */
	struct worker_parts *parts;	/* NULL outside a worker process */
};

/* Get a BPF program, whether it is loaded or not. Returns NULL if this process has no programs. */
static inline struct program *source_program(const struct source *s, enum program_name name)
{
	return s->shared && s->shared->programs ? &s->shared->programs->program[name] : NULL;
}

/* Get a BPF program that works. Returns NULL if files must be read instead. */
static inline struct program *source_loaded_program(const struct source *s, enum program_name name)
{
	struct program *p = source_program(s, name);
	return p && p->shared && !p->why[0] ? p : NULL;
}

/* Begin a sample. rescan: look for new devices. */
static inline void shared_clear(struct shared *s, bool rescan)
{
	s->path = NULL;
	if (rescan)
		s->topology.checked = false;
}

void shared_free(struct shared *s);	/* does not close the root */

/* Initialise a source. The root's descriptor is borrowed: source_free() does not close it. */
void source_init(struct source *s, const struct files *root, const struct metric *m, size_t n);
void source_free(struct source *s);
/* Remove all rows, but keep memory and files. At a rescan, close files that are no longer read. */
void source_clear(struct source *s);

/* Get the collector's state, which is kept between samples. It is zeroed at the first call. */
void *source_state(struct source *s, size_t size);
/* Free the state; the next source_state() allocates it again. */
void source_end_state(struct source *s);

/*
 * Begin to read a part of a source in a worker process, up to source_leave(). Returns false if a
 * worker recently hung in this part: leave the part out.
 */
bool source_enter(struct source *s, struct str part);
void source_leave(struct source *s);

/*
 * Read a file below the root, and keep it open. *ret is valid until the next read by this source or
 * by another source with the same .shared. Returns 0 or -errno, with the file's name in s->why;
 * -ENOENT if this node lacks the file.
 */
int source_read(struct source *s, const char *path, struct str *ret) MUST_CHECK;
/* Read a file like source_read(), from the caller's descriptor. Does not set s->why. */
int source_read_fd(struct source *s, int fd, struct str *ret) MUST_CHECK;
/* Read a file like source_read(), in larger or smaller pieces (see base/files.h). */
int source_read_as(struct source *s, const char *path, enum file_read how,
		   struct str *ret) MUST_CHECK;
/*
 * Read a file such as /proc/stat like source_read(), but only once per sample if several collectors
 * read it. path is borrowed until the next shared_clear(): use a string constant.
 */
int source_read_shared(struct source *s, const char *path, struct str *ret) MUST_CHECK;
/* Read the file "DIR/NAME/LEAF" like source_read(). The path may have at most 511 bytes. */
int source_read_in(struct source *s, const char *dir, const char *name, const char *leaf,
		   struct str *ret) MUST_CHECK;

/*
 * Get the topology of this node's CPUs. s->shared must not be NULL. *ret is valid until the next
 * rescan. Returns 0, or -ENOENT with s->why set.
 */
int source_topology(struct source *s, const struct topology **ret) MUST_CHECK;

/*
 * Set s->why to the reason why the source is missing: a sentence without full stop. Returns
 * -ENOENT.
 */
COLD int source_absent(struct source *s, const char *fmt, ...) PRINTF(2, 3);

/*
 * Fill a row from lines such as "MemTotal: 123 kB". skip: bytes to ignore at the start of each
 * line, such as 7 for "Node 0 MemFree: 12 kB". Keys without a metric are ignored; metrics without a
 * line are missing values. The positions of the lines are remembered, to find the keys faster in
 * the next sample. Returns the number of values found.
 */
size_t row_key_values(struct source *s, struct row r, size_t skip, struct str text);

/*
 * Collect a file of lines "key value", each of less than 64 bytes, as one row with device "-".
 * Returns 0 or -errno.
 */
int source_key_values(struct source *s, const char *path) MUST_CHECK;

/*
 * List the names in a directory below the root that start with prefix, node2 before node10. Only
 * one list is kept: the directory is read at the first call, at a rescan, and when dir changes, but
 * not when only prefix changes. Returns the number of names, or -errno.
 */
int source_devices(struct source *s, const char *dir, const char *prefix) MUST_CHECK;
/* List only the names that is_wanted() accepts. */
int source_devices_if(struct source *s, const char *dir, const char *prefix,
		      bool (*is_wanted)(const char *name)) MUST_CHECK;
/*
 * Return name i of the last source_devices(), including the prefix. It is valid until the directory
 * is read again.
 */
const char *source_device_name(const struct source *s, size_t i);
