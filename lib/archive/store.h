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
	int64_t free_floor;	/* bytes that must stay free on the file system, or TIDY_FLOOR */
	bool replay;			/* the records were recorded in the past, not now */
	const struct listener *listener;	/* told about disk problems; may be NULL */
};

struct store {
	struct store_place place;
	struct archive archive;
	int lock_ms;		/* timeout for the file lock, ms */
	/* monotonic time at which the folder was last looked up by its path */
	int64_t looked_ns;
	bool unsynced;		/* the last record may not be synced yet */
	struct buf retimed, unmarked;
};

/*
 * Text to write. It is one record; or, with .last_us, several records of one schema, some of which
 * a writer that was killed may already have written; or, with .fresh, several records with their
 * headers, for a new file.
 */
struct store_piece {
	int64_t usec;		/* TIME of the first record */
	int64_t last_us;	/* TIME of the last record, 0 if there is only one */
	bool marked;	/* the records have marks: store_put() must sync them before it returns */
	bool fresh;
	bool rotate;		/* begin a new file */
	/* the header; may be empty, until store_put() requests it with -EAGAIN */
	struct str header;
	struct str group;
	/* microseconds by which time goes back with this record; set by store_put() */
	int64_t back_us;
};

/* The result of writing a piece. */
struct stored {
	/* 0; -EAGAIN if the piece needs its header; or -errno if it was not written */
	int e;
	bool unlocked;	/* the piece was not written, because another process holds the lock */
	/* the piece was not written, because it would leave less free space than .free_floor */
	bool below_floor;
	bool new_file;		/* a new file was begun */
	bool removed;		/* the folder was found to be removed or moved away */
	bool moved;	/* a new file was begun because a sync of the previous file failed */
	int64_t size;		/* size of the current file, -1 if unknown */
};

/*
 * Append a header. If back_us > 0, add the line "$clock_set", which says by how much the clock goes
 * back here.
 */
void store_put_header(struct buf *b, struct str header, int64_t back_us);

void store_open(struct store *s, const struct store_place *place);
void store_close(struct store *s);

/*
 * Write a piece. Times in the file must ascend: if another process has written a later record
 * meanwhile, the record gets the present time (in a replay, the next microsecond after that
 * record). If the last record is ahead of the clock, the clock was set back: a header with
 * "$clock_set" is written before the record. A mark whose request is already in the archive is left
 * out, see archive/marked.h.
 */
void store_put(struct store *s, const struct store_piece *p, struct stored *ret);
