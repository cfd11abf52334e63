/* SPDX-License-Identifier: BSD-3-Clause */
/* source.h - where a collector reads: files, devices, kept state; and the rows that it fills */
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

/* Buffers, files and facts that the sources of one process share. */
struct shared {
	struct buf text;	/* the file that is being read: one buffer stays in the cache */

	/* A file that several collectors need at the same moment: read once, lent to the rest. */
	struct files files;
	struct buf lent;
	const char *path;	/* the file in .lent, NULL: nothing of this moment yet */

	struct topology topology;	/* for source_topology() */
	struct users job_owners;	/* besides root, see job_owner_is_known() */
	bool passing;		/* the archive does not get this sample: what is new is so later */
	struct programs *programs;	/* in the kernel, of who keeps them; or NULL */
	struct job_tree *tree;	/* type job is this run alone; or NULL */
	int ended;		/* inotify(7) of who reads between samples, see job_ends.h; or 0 */
};

#define PART_NAME_MAX 32
#define PARTS_HUNG_MAX 8

/* Memory that a worker shares with the agent, and so with its successor: see source_enter(). */
struct parts {
	char reading[PART_NAME_MAX];	/* at this moment; "": none */
	size_t n_hung;
	char hung[PARTS_HUNG_MAX][PART_NAME_MAX];
};

/* Owns everything in it and reuses it from sample to sample; source_free() ends it. */
struct source {
	struct rows rows;	/* of this moment */
	struct files files;	/* the root that the collector sees as "/", and its open files */
	struct shared *shared;	/* with the other sources of this process, or NULL */
	uint64_t bytes;		/* read since source_clear() */
	struct kept_dir *devices;
	struct key_plan *plan;	/* source_key_values(): which line holds which key */
	void *state;		/* the collector's own, from source_state(); freed with free(3) */
	bool rescan;		/* look for devices that came or went; else trust the last look */
	char why[SOURCE_WHY_MAX];	/* the last reason why something was not there */

	void (*end_state)(void *state);	/* before .state: lets go of what it refers to, or NULL */
	const void *data;	/* the collector's own constant, see struct collector */
	struct buf text;	/* the file being read, where nothing is shared */
	struct parts *parts;	/* NULL: this is no worker */
};

/* The program that was loaded for a type, or NULL. */
static inline struct program *source_program(const struct source *s, enum program_name name)
{
	return s->shared && s->shared->programs ? &s->shared->programs->program[name] : NULL;
}

/* NULL where files are to be read: it is not loaded, or it failed. */
static inline struct program *source_loaded_program(const struct source *s, enum program_name name)
{
	struct program *p = source_program(s, name);
	return p && p->shared && !p->why[0] ? p : NULL;
}

/* Another moment begins; rescan: one at which devices are looked for. */
static inline void shared_clear(struct shared *s, bool rescan)
{
	s->path = NULL;
	if (rescan)
		s->topology.asked = false;
}

void shared_free(struct shared *s);	/* leaves its root open */

/* rootfd is borrowed: source_free() leaves it open. */
void source_init(struct source *s, const struct files *root, const struct metric *m, size_t n);
void source_free(struct source *s);
void source_clear(struct source *s);	/* no rows; keeps memory and files */

/* Zeroed memory of the collector's own, allocated at the first call, kept between samples. */
void *source_state(struct source *s, size_t size);
void source_end_state(struct source *s);	/* lets go of it: the next call allocates again */

/*
 * Of a type that workers read: from now on this part of the source is read, until
 * source_leave(). If the worker hangs meanwhile, the next ones leave the part out for a while:
 * false.
 */
bool source_enter(struct source *s, struct str part);
void source_leave(struct source *s);

/*
 * Reads a file below the root, kept open from sample to sample. *ret is borrowed until the next
 * read. 0 or -errno, -ENOENT if this node has no such file; s->why says which.
 */
int source_read(struct source *s, const char *path, struct str *ret) MUST_CHECK;
/* The same from a descriptor that the collector keeps itself. */
int source_read_fd(struct source *s, int fd, struct str *ret) MUST_CHECK;
/* The same for a file of records of another size, see base/files.h: mountstats has large ones. */
int source_read_as(struct source *s, const char *path, enum file_read how,
		   struct str *ret) MUST_CHECK;
/* The same for a file that other types of this moment are read from as well (/proc/stat). */
int source_read_shared(struct source *s, const char *path, struct str *ret) MUST_CHECK;
/* The same for "DIR/NAME/LEAF", of at most 511 bytes. */
int source_read_in(struct source *s, const char *dir, const char *name, const char *leaf,
		   struct str *ret) MUST_CHECK;

/* Where the CPUs are. *ret is valid until the next look for devices. 0, or -ENOENT and s->why. */
int source_topology(struct source *s, const struct topology **ret) MUST_CHECK;

/* Says why the type is not there, as a sentence without a full stop, and returns -ENOENT. */
COLD int source_absent(struct source *s, const char *fmt, ...) PRINTF(2, 3);

/*
 * Fills a row from lines "key value": "pgpgin 123", "MemTotal:  123 kB", each after skip bytes of
 * something else: 7 of "Node 0 MemFree: 12 kB". Keys without a metric are ignored, metrics without
 * a line stay absent. Remembers which line holds which key and checks that it is so: a second
 * sample costs little more than finding the lines' ends. Returns how many values it found.
 */
size_t row_key_values(struct source *s, struct row r, size_t skip, struct str text);

/*
 * The whole of a collector whose source is such a file, of lines under 64 bytes: one row, device
 * "-". 0 or -errno.
 */
int source_key_values(struct source *s, const char *path) MUST_CHECK;

/*
 * Names in a directory below the root that start with prefix, in natural order (node2 before
 * node10), looked for at the first call, when s->rescan is set, and when another directory is
 * asked for: one list is kept. Returns how many, or -errno.
 */
int source_devices(struct source *s, const char *dir, const char *prefix) MUST_CHECK;
/* The same of those that are wanted. */
int source_devices_if(struct source *s, const char *dir, const char *prefix,
		      bool (*is_wanted)(const char *name)) MUST_CHECK;
const char *source_device_name(const struct source *s, size_t i);	/* with the prefix */
