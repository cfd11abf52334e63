/* SPDX-License-Identifier: BSD-3-Clause */
/* unwritten.h - keep record groups until they are written, in memory that outlives a kill */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

#define UNWRITTEN_BYTES_MAX  (1u << 20)
#define UNWRITTEN_GROUPS_MAX 4096

/*
 * Whole records as text. A record has a header before it if its schema differs from that of the
 * previous record. Initialize with zeros. The text is in one half of the memory, and moves to the
 * other half when records are removed. So only whole records are left, even if the process is
 * killed at any moment. unwritten_open() maps the memory to a file.
 */
struct unwritten {
	struct buf text;
	size_t n;
	struct unwritten_group {
		size_t header, group;	/* lengths of the header and of the record, bytes */
		int64_t usec;		/* TIME of the record */
		bool marked;
		/* the record has only its marks: its samples were removed to make room */
		bool reduced;
	} part[UNWRITTEN_GROUPS_MAX];	/* oldest first */
	int64_t last_us;	/* TIME of the newest record */
	size_t held;		/* number of records, from the oldest on, that are being written */
	bool wants_header;	/* the next record must have a header of its own */
	/* there are several headers, so the records must be written to a file of their own */
	bool mixed;
	/* number of records whose samples were lost because there was no room, in total */
	uint64_t lost;
	/* append a record without its samples; NULL: records with marks are never reduced */
	void (*put_marks)(struct buf *b, struct str group);
	struct unwritten_memory *memory;	/* NULL before the first record */
	bool reserved[2];	/* disk blocks are allocated for this half of the file */
	bool kept;		/* the memory is mapped to .fd */
	int fd;			/* descriptor of the locked file */
};

/*
 * Map the memory to a file and take over the records that an earlier process left there. fd is
 * closed by this module in any case. Returns 0; -EAGAIN if the process that owns the records is
 * alive; or another -errno. After a failure, records are kept in private memory.
 */
int unwritten_open(struct unwritten *p, int fd) MUST_CHECK;
/*
 * Read the records from a file of unwritten_open(); nothing if its text is incomplete. Returns the
 * half of the file that holds them.
 */
int unwritten_read(int fd, struct buf *to);

/*
 * Append a record; header is empty if the previous record has the same schema. To make room, the
 * oldest records without marks are removed first. If this is not enough for a record with marks,
 * the samples of older records are removed, and finally the samples of the new record. Marks are
 * never removed, and records that are being written are not changed. Returns 0; -EAGAIN if the
 * record needs its header; or -ENOSPC, and the record is counted as lost.
 */
int unwritten_add(struct unwritten *p, int64_t usec, struct str header, struct str group,
		  bool marked) MUST_CHECK;
/* Remove the n oldest records, which were written. */
void unwritten_done(struct unwritten *p, size_t n);
/*
 * Free the memory. If it is mapped to a file, the records stay in the file, and the next process
 * takes them over with unwritten_open().
 */
void unwritten_clear(struct unwritten *p);
