/* SPDX-License-Identifier: BSD-3-Clause */
/* index.h - list the jobs of a compressed file at its end, so that a search can skip the file */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"
#include "formats/format.h"

/*
 * A file that nodometer-tidy compressed ends in a skippable frame of zstd (RFC 8878, 3.1.2), which
 * "zstd -d" ignores:
 *
 *	5E 2A 4D 18
 *	size of the rest, 4 bytes, little-endian
 *	text
 *	number of bytes before the frame, 8 bytes, big-endian
 *	checksum (FNV-1a) of the text, that number and the 8 bytes before the frame, 8 bytes
 *	"nodoidx2"
 *
 * An index is ignored if it is not at the end of its file or does not match the data, and so is an
 * index of version "nodoidx1", which had one line for all runs of an id. The text has these lines,
 * with FIRST and LAST in microseconds:
 *
 *	records N FIRST LAST
 *	job ID FIRST LAST N MARKS USER [KEY=VALUE...]
 *	last PLACE
 *
 * MARKS is "b" for a begin mark, "e" for an end mark, "be" for both, or "-". USER may be "-" as
 * well. KEY is nodes, account, partition, name, exit or state, as in the marks, or left: for a run
 * without an end mark, the time of the first record after LAST that does not list the job. An id
 * that ran more than once in the file has one line per run. At offset PLACE begins a zstd frame
 * with the last INDEX_LAST bytes of the records, so that readers of the newest records decompress
 * only this frame. A shorter file has no "last" line.
 */

/*
 * The file DIR/jobs.index has the index text (the lines above) of each file of an archive, each
 * text after a line
 *
 *	file HOST/NAME BYTES
 *
 * A reader of a remote archive then requests only the files that have the job. An index text is
 * valid as long as its file has the given size.
 */
#define INDEX_OF_FILES "jobs.index"

/* bytes; a file whose index would be longer gets no index */
#define INDEX_MAX  (4u << 20)
/* number of bytes just before the frame that the checksum covers */
#define INDEX_TAIL 8
#define INDEX_LAST (256u << 10)

/* A run of a job in one file. Other files may have further samples of the run. */
struct index_job {
	struct str id, user;	/* .user is empty if no mark gives the user */
	/* each is empty if no mark has the attribute */
	struct str account, partition, name, exit, state;
	uint64_t nodes;	/* number of the job's nodes in total, from its marks; 0: unknown */
	int64_t first, last;	/* TIME of the first and the last sample, microseconds */
	/*
	 * TIME of the first record after .last that does not list the job, in microseconds; 0:
	 * there is none, or the run has an end mark
	 */
	int64_t left;
	uint64_t samples;
	bool begun, ended;
};

/*
 * Make the index text of a file. Returns 0; -E2BIG if there are too many jobs, so that the text has
 * only the first ones; or -EBADMSG if some lines cannot be read, or if there is no record. After
 * -EBADMSG the text covers all readable lines and has a line "unread FROM [TO]": FROM is the time
 * of the last good record before the bad lines (or 0), TO that of the first good record after them.
 */
int index_make(const struct byte_source *from, struct buf *text) MUST_CHECK;
/*
 * Append the index frame to a compressed file at the current offset of fd. `from` gives the file's
 * text, `last` is the PLACE described above, or 0. *n gets the size of the frame. If a record
 * cannot be read, no index is written and *n is 0, so that searches read all records of this file.
 * Returns 0 or -errno.
 */
int index_append(int fd, const struct byte_source *from, uint64_t last, uint64_t *n) MUST_CHECK;
/*
 * Append an index frame to b. `before` is the number of bytes of the file before the frame, and
 * `tail` has the last of these bytes.
 */
void index_put_frame(struct buf *b, struct str text, uint64_t before, const char tail[INDEX_TAIL]);

/*
 * Find the index text in `last`, the last bytes of a file of `size` bytes. *text borrows from
 * `last`. Returns false if there is no index, it is damaged, or `last` has only a part of it.
 */
bool index_take_frame(struct str last, uint64_t size, struct str *text);
/*
 * Read the index of a file; *text borrows from b. Returns 0, -ENOENT if the file has no index, or
 * another -errno.
 */
int index_read(const char *path, struct buf *b, struct str *text) MUST_CHECK;

/*
 * Parse the next line "job" of an index text, and remove it from *text. *ret borrows from the text.
 * Returns false if there are no more runs.
 */
bool index_next_job(struct str *text, struct index_job *ret);
bool index_has_job(struct str text, struct str job);
bool index_last_frame(struct str text, uint64_t *place);
/*
 * Get the times of a line "unread FROM [TO]"; *to is INT64_MAX without TO. Returns false if there
 * is no such line.
 */
bool index_unread(struct str text, int64_t *from, int64_t *to);

/*
 * Returns true if the file has no record of the job: according to its index or, if it is not
 * compressed, to its text. Returns false if in doubt.
 */
bool index_excludes(const char *path, struct str job);
