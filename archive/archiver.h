/* SPDX-License-Identifier: BSD-3-Clause */
/* archiver.h - record groups go to the archive; what cannot be written waits in memory */
#pragma once

#include "archive/unwritten.h"
#include "archive/store.h"
#include "archive/writer.h"

/* The maker of the groups is called for headers, and for a group that has no room to wait. */
struct archiver_maker {
	void (*put_header)(void *arg, struct buf *b);
	void (*put_marks)(struct buf *b, struct str group);	/* the marks alone, or NULL */
};

/*
 * The one writer of archives: DIR/HOST/EPOCH is begun with a header that covers what follows,
 * begun again at midnight and when the schema or the boot is another, and never fills the disk past
 * the floor; where it cannot be written the newest groups wait here, in bounded memory, and what is
 * lost is counted. Groups that come often wait for each other, and are written together.
 */
struct archiver {
	const struct archiver_maker *maker;
	void *arg;
	bool keep;		/* groups that cannot be written wait in memory */
	bool apart;		/* a writer process writes */
	bool ahead;		/* nor is it waited for, see archiver_put() */
	int64_t gather_us;	/* groups of so long a time are written together */
	int64_t sent_us;	/* TIME of the last group that it was given */
	struct store store;
	struct writer writer;
	struct unwritten unwritten;
	struct stored stored;	/* the outcome for the last group that was tried */
	struct buf header;
	int64_t header_ns;	/* monotonic: when it was made */
	bool begun;		/* a group was handed over: an archive that fails is waited for */
	bool new_schema;	/* the next group needs its own header */
	bool rotate;		/* the next group begins a new file */
	bool new_file;		/* a file was begun: the last one can be compressed */
	bool full;		/* the last group waits; logged once */
	char why[128];		/* .full: the reason */
	int64_t removed_us;	/* when the folder was found removed or moved away, 0: never */
	uint64_t failed;	/* writes since they were asked for last */
	uint64_t marks_lost;	/* marked groups that could neither be written nor left */
};

/* All zero but for what the caller sets before: .maker, .arg, .keep, .apart. */
void archiver_open(struct archiver *a, const struct store_place *place);
void archiver_close(struct archiver *a);

/*
 * 0: it is in the archive or, with .keep, waits in memory (.full); or -errno. With .ahead, where
 * all went well so far, groups without marks are laid into memory, and given to the writer together
 * after .gather_us, where the memory is half full, before a mark, and by archiver_settle().
 */
int archiver_put(struct archiver *a, int64_t usec, struct str group, bool marked) MUST_CHECK;

/* All groups so far are written: 0; or -errno, and they wait. */
int archiver_settle(struct archiver *a);

/* How many groups could not be written yet. */
static inline size_t archiver_waiting(const struct archiver *a)
{
	return a->full || a->unwritten.mixed ? a->unwritten.n : 0;
}

/* How many writes failed since the last call. */
static inline uint64_t archiver_take_failed(struct archiver *a)
{
	uint64_t n = a->failed;
	a->failed = 0;
	return n;
}
