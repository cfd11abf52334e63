/* SPDX-License-Identifier: BSD-3-Clause */
/* archiver.h - record groups go to the archive; what cannot be written waits in memory */
#pragma once

#include "archive/unwritten.h"
#include "archive/store.h"
#include "archive/writer.h"

/* The maker of the groups is called for headers, and for marks that wait. */
struct archiver_maker {
	void (*put_header)(void *arg, struct buf *b);
	/* The rest may be NULL. Groups left by an earlier run can be written now: 0 or -errno. */
	int (*make_room)(void *arg);
	/*
	 * The marks of a group that waits are made safe from a kill: a name to forget them by, from
	 * malloc(3), or NULL. marks is what to make of the group where only they have room.
	 */
	char *(*leave_marks)(void *arg, int64_t usec, struct str group, struct buf *marks);
	void (*forget_marks)(void *arg, const char *name);
};

/*
 * The one writer of archives: DIR/HOST/EPOCH is begun with a header that covers what follows,
 * begun again at midnight and when the schema or the boot is another, and never fills the disk past
 * the floor; where it cannot be written the newest groups wait here, in bounded memory, and what is
 * lost is counted.
 */
struct archiver {
	const struct archiver_maker *maker;
	void *arg;
	bool keep;		/* groups that cannot be written wait in memory */
	bool apart;		/* a writer process writes */
	bool ahead;		/* nor is it waited for, see archiver_put() */
	struct store store;
	struct writer writer;
	struct unwritten unwritten;
	struct {
		int64_t usec;
		struct str group;
	} sent;			/* the writer has it, and was not waited for */
	struct stored stored;	/* the outcome for the last group that was tried */
	struct buf header;
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
 * all went well so far, a group without marks is on its way: what became of it is seen to by the
 * next call of this or of archiver_settle(), until when its text and what is in its header stay.
 */
int archiver_put(struct archiver *a, int64_t usec, struct str group, bool marked) MUST_CHECK;

/* The group on its way has arrived, or waits; groups that a hung writer kept are written. */
void archiver_settle(struct archiver *a);

/* Has a piece written past the queue. 0 or -errno; -EINPROGRESS: the writer still has it. */
int archiver_deliver(struct archiver *a, const struct piece *p) MUST_CHECK;

/* Groups that wait are safe elsewhere, or lost: the first n of their marks are forgotten. */
void archiver_forget_left(struct archiver *a, size_t n);

/* How many writes failed since the last call. */
static inline uint64_t archiver_take_failed(struct archiver *a)
{
	uint64_t n = a->failed;
	a->failed = 0;
	return n;
}
