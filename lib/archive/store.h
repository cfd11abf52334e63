/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h - put record groups into the archive, each under the file lock */
#pragma once

#include "archive/archive.h"
#include "base/listener.h"

/* The folder and kind of the groups; the strings are borrowed. */
struct store_place {
	const char *dir, *host;
	const char *boot_id;		/* boot id in the header */
	const char *version;		/* version of the format */
	int64_t free_floor;		/* free space to keep, bytes, or TIDY_FLOOR */
	bool replay;			/* the groups are of the past, not of this moment */
	const struct listener *listener;	/* told about disk problems; may be NULL */
};

struct store {
	struct store_place place;
	struct archive archive;
	int lock_ms;		/* timeout for the file lock */
	int64_t looked_ns;	/* when the folder was last looked up by its name */
	bool unsynced;		/* the last group may not be on the disk */
	struct buf retimed, unmarked;
};

/*
 * Text to write: one group; several groups of one schema, with .last_us, which a writer that died
 * may already have written; or several groups with their headers for a new file, with .fresh.
 */
struct store_piece {
	int64_t usec;		/* TIME of the first group */
	int64_t last_us;	/* TIME of the last group, 0 if there is only one */
	bool marked;		/* has marks: not acknowledged before it is synced */
	bool fresh;
	bool rotate;		/* begin a new file */
	struct str header;	/* the header; may be empty until -EAGAIN requests it */
	struct str group;
	int64_t back_us;	/* set by store_put(): how far the time goes back */
};

/* The outcome of writing a piece. */
struct stored {
	/* 0; -EAGAIN if the header is needed; or -errno if the piece was not written */
	int e;
	bool unlocked;		/* failed because another process holds the lock */
	bool below_floor;	/* failed because of free-floor */
	bool new_file;		/* a new file was begun */
	bool removed;		/* the folder had been removed or moved away */
	/* went into a new file because the disk failed to sync the last one */
	bool moved;
	int64_t size;		/* size of current, -1 if unknown */
};

/*
 * Append a header. With back_us > 0, add "$clock_set" with the time by which the clock goes back
 * here.
 */
void store_put_header(struct buf *b, struct str header, int64_t back_us);

void store_open(struct store *s, const struct store_place *place);
void store_close(struct store *s);

/*
 * Write a piece. A group that is not later than the last one, which another process wrote
 * meanwhile, gets the present time (in a replay the next microsecond), so that times in the file
 * ascend. If the last group is ahead of the clock, the clock was set back: a header that says so
 * comes in between. A mark whose request is already in the archive is left out, see
 * archive/marked.h.
 */
void store_put(struct store *s, const struct store_piece *p, struct stored *ret);
