/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h - record groups into the archive, each under the file lock, at once or not at all */
#pragma once

#include "archive/archive.h"
#include "base/listener.h"

/* Where groups go, and what they are; the texts are borrowed. */
struct store_place {
	const char *dir, *host;
	const char *boot_id;		/* of the header */
	const char *version;		/* of the format */
	int64_t free_floor;		/* bytes, or TIDY_FLOOR */
	bool replay;			/* groups of some time past, not of this moment */
	const struct listener *listener;	/* to what is wrong with the disk, or NULL */
};

struct store {
	struct store_place place;
	struct archive archive;
	int lock_ms;		/* how long to wait for the file lock */
	int64_t looked_ns;	/* when the folder was last looked for by its name */
	bool unsynced;		/* the last group may not be on the disk */
	struct buf retimed, unmarked;
};

/*
 * To be written: one group; or with .last_us several of one schema, which a writer that died may
 * have written; or with .fresh several with their headers, for a new file.
 */
struct piece {
	int64_t usec;		/* TIME of the (first) group */
	int64_t last_us;	/* and of the last one, 0: there is one */
	bool marked;		/* done only when it is on the disk */
	bool fresh;
	bool rotate;		/* into a new file */
	struct str header;	/* may be empty as long as nobody asked for it */
	struct str group;
};

/* The outcome for a piece. */
struct stored {
	int e;			/* 0; -EAGAIN: the header is wanted; or -errno: it is not written */
	bool unlocked;		/* because another process holds the lock */
	bool below_floor;	/* because of free-floor */
	bool new_file;		/* a file was begun */
	bool removed;		/* somebody had removed the folder or moved it away */
	bool moved;		/* into a new file: the disk failed to sync the last one */
	int64_t size;		/* of current, -1: not known */
};

void store_open(struct store *s, const struct store_place *place);
void store_close(struct store *s);

/*
 * A group that is not later than what another process wrote meanwhile takes the time of this
 * moment, or in a replay the next microsecond, so that the file goes on in order. A group further
 * ahead was written before a clock was set back. A mark of a request that is marked there already
 * is left out, see archive/marked.h.
 */
void store_put(struct store *s, const struct piece *p, struct stored *ret);
