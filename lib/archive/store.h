/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h - put record groups into the archive, each under the file lock */
#pragma once

#include "archive/archive.h"
#include "base/listener.h"

/* Folder and format of the records. The strings are borrowed. */
struct store_place {
	const char *dir, *host;
	const char *boot_id;		/* boot id in the header */
	const char *version;		/* version of the format */
	int64_t free_floor;	/* bytes to leave free on the file system, or TIDY_FLOOR */
	bool replay;			/* the records were taken in the past, not now */
	const struct listener *listener;	/* gets reports of disk problems; may be NULL */
};

struct store {
	struct store_place place;
	struct archive archive;
	int lock_ms;		/* timeout for the file lock, ms */
	/* when the path of the folder was last checked, in nanoseconds of CLOCK_MONOTONIC */
	int64_t looked_ns;
	bool unsynced;		/* a sync failed: the next record begins a new file */
	struct buf retimed, unmarked;
};

/*
 * A text to write. With .fresh: records with their headers, for a new file. Without .fresh, but
 * with .last_us: several records of one schema; a writer that was killed may have written some of
 * them already. Without both: one record.
 */
struct store_piece {
	int64_t usec;		/* TIME of the first record */
	int64_t last_us;	/* TIME of the last record, 0 if there is only one */
	bool marked;	/* the records have marks: sync them */
	bool fresh;
	bool rotate;		/* begin a new file */
	/* the header; if it is empty and needed, store_put() sets .e to -EAGAIN */
	struct str header;
	struct str group;	/* begins with a newline; with .fresh, with the header */
	/* how far the clock was set back before this record, in us; private to store_put() */
	int64_t back_us;
};

/* The result of writing a piece. */
struct stored {
	/* 0; -EAGAIN if the piece needs its header; or -errno if it was not written */
	int e;
	bool unlocked;	/* the piece was not written, because another process held the lock */
	/* free space was less than .free_floor at the last check, so that nothing can be written */
	bool below_floor;
	bool new_file;		/* a new file was begun */
	bool removed;		/* the folder was found to be removed or moved away */
	bool moved;	/* a new file was begun because a sync of the previous file failed */
	int64_t size;		/* size of the current file, -1 if unknown */
};

/*
 * Append a header. If back_us > 0, the clock was set back by this many us: add a line "$clock_set".
 */
void store_put_header(struct buf *b, struct str header, int64_t back_us);

void store_open(struct store *s, const struct store_place *place);
void store_close(struct store *s);

/*
 * Write a piece. Times in a file must ascend. If another process has meanwhile written a later
 * record, a piece of one record gets the present time (in a replay: 1 us after that record), and a
 * piece of several records begins a new file. If the last record in the file is in the future, the
 * clock was set back: first write a header with "$clock_set". In a replay, only a step back of an
 * hour or more counts as set back. Marks that are in the archive already are left out
 * (archive/marked.h).
 */
void store_put(struct store *s, const struct store_piece *p, struct stored *ret);
