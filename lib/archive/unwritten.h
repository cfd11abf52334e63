/* SPDX-License-Identifier: BSD-3-Clause */
/* unwritten.h - keep record groups until they are written, in memory that outlives a kill */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"

#define UNWRITTEN_BYTES_MAX  (1u << 20)
#define UNWRITTEN_GROUPS_MAX 4096

/*
 * Records that are not written yet, as text. A record has a header if its schema differs from that
 * of the previous one. Initialize with zeros.
 *
 * The memory has two halves. When records are removed, the text is copied to the other half, so
 * that a kill at any moment leaves only complete records. unwritten_open() maps the memory to a
 * file.
 */
struct unwritten {
	struct buf text;
	size_t n;
	struct unwritten_group {
		size_t header, group;	/* lengths of the header and of the record, bytes */
		int64_t usec;		/* TIME of the record */
		bool marked;
		/* the record has only marks: its samples were removed to make room */
		bool reduced;
	} part[UNWRITTEN_GROUPS_MAX];	/* oldest first */
	int64_t last_us;	/* TIME of the newest record */
	size_t in_flight;	/* number of records, from the oldest, that are being written now */
	bool wants_header;	/* the next record must have a header */
	/* several records have headers, so the records must be written to a new file */
	bool mixed;
	/*
	 * number of records that were lost, or lost their samples, because memory was full, in
	 * total
	 */
	uint64_t lost;
	/* append only the marks of a record; NULL: do not remove samples of records with marks */
	void (*put_marks)(struct buf *b, struct str group);
	struct unwritten_memory *memory;	/* NULL before the first record */
	bool reserved[2];	/* disk blocks are allocated for this half of the file */
	bool is_mapped;		/* the memory is mapped to .fd */
	int fd;			/* descriptor of the locked file */
};

/*
 * Map the memory to a file and take over the records of an earlier process. Takes fd over:
 * unwritten_clear() closes it, or this function after an error. Returns 0; -EAGAIN if the process
 * that owns the records is alive; or another -errno. After an error, records are kept in private
 * memory.
 */
int unwritten_open(struct unwritten *p, int fd) MUST_CHECK;
/*
 * Read a file of unwritten_open(): replace the contents of `to` by its records, or by nothing if
 * its text is incomplete. Returns the half of the file (0 or 1) that has the records.
 */
int unwritten_read(int fd, struct buf *to);

/*
 * Append a record. `group`, and `header` unless it is empty, begin with the newline of a blank
 * line. header may be empty if the previous record has the same schema. To make room, the oldest
 * records without marks are removed first. If this is not enough for a record with marks, the
 * samples of older records are removed, and finally the samples of the new record. Marks are never
 * removed, and records that are being written are not changed. Returns 0; -EAGAIN if the record
 * needs its header; or -ENOSPC, and the record is counted as lost.
 */
int unwritten_add(struct unwritten *p, int64_t usec, struct str header, struct str group,
		  bool marked) MUST_CHECK;
/* Remove the n oldest records, which were written. */
void unwritten_done(struct unwritten *p, size_t n);
/* Free the memory. Records in a file stay there for the next process. */
void unwritten_clear(struct unwritten *p);
