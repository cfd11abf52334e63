/* SPDX-License-Identifier: BSD-3-Clause */
/* index.h - what a compressed file holds, at its end: who looks for a job need not read the rest */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/base.h"
#include "base/buf.h"
#include "formats/format.h"

/*
 * A file that nodometer-tidy compressed ends in a skippable frame of zstd (RFC 8878, 3.1.2), which
 * "zstd -d" passes over: 5E 2A 4D 18, the size of what follows in 4 bytes, the lowest first, the
 * text, and in numbers of 8 bytes, the highest first, the bytes before the frame and a checksum
 * (FNV-1a) of the text, of that number and of the 8 bytes before the frame; then "nodoidx2".
 * An index that is not the end of its file, or not of these data, is none; nor is an index of
 * "nodoidx1", which had one line for all runs of an id. The text is lines:
 *
 *	records N FIRST LAST		microseconds
 *	job ID FIRST LAST N MARKS USER [KEY=VALUE...]
 *	last PLACE
 *
 * MARKS: "b" has a begin mark, "e" an end mark, or "-"; USER may be "-", too. KEY is nodes,
 * account, partition or name, as the marks have them. An id that ran more than once in the file
 * has a line for each run. At PLACE a frame of zstd begins that has the last INDEX_LAST bytes of
 * the records: readers of the newest ones decompress no other. A shorter file has no such line.
 */
#define INDEX_OF_FILES "jobs.index"

/*
 * DIR/jobs.index has the texts of all files of an archive, each after a line of its own,
 *
 *	file HOST/NAME BYTES
 *
 * so that who reads the archive from afar asks for files alone that have the job. It is of that
 * file as long as that has so many bytes.
 */
#define INDEX_MAX  (4u << 20)	/* of text: a file that has more has none */
#define INDEX_TAIL 8		/* bytes of the data that are in the checksum */
#define INDEX_LAST (256u << 10)

/* A run of a job, as far as it is in the file. */
struct index_job {
	struct str id, user;	/* .user is empty where no mark has it */
	struct str account, partition, name;	/* likewise */
	uint64_t nodes;		/* of the job, in all, by its marks; 0: not known */
	int64_t first, last;	/* TIME of samples, microseconds */
	uint64_t samples;
	bool begun, ended;
};

/*
 * The text for the records of a file. 0; -EBADMSG: some of it cannot be read, and the text is of
 * the records before that; -E2BIG: it is of as many jobs as there is room for.
 */
int index_make(const struct byte_source *from, struct buf *text) MUST_CHECK;
/*
 * Adds it to a compressed file that ends where the descriptor is; last is the PLACE, or 0; *n are
 * its bytes. Where something of the records cannot be read, there is none: readers look at all of
 * them. 0 or -errno.
 */
int index_append(int fd, const struct byte_source *from, uint64_t last, uint64_t *n) MUST_CHECK;
void index_put_frame(struct buf *b, struct str text, uint64_t before, const char tail[INDEX_TAIL]);

/* The text in the last bytes of a file of this size; false if there is none, or it is not whole. */
bool index_take_frame(struct str last, uint64_t size, struct str *text);
/* The same of a file; *text borrows from b. 0, -ENOENT: it has none, or -errno. */
int index_read(const char *path, struct buf *b, struct str *text) MUST_CHECK;

bool index_next_job(struct str *text, struct index_job *ret);	/* takes it off the text's front */
bool index_has_job(struct str text, struct str job);
bool index_last_frame(struct str text, uint64_t *place);

/*
 * Whether a file has no record of the job for sure: by its index, or, where it is a raw file that
 * is not compressed, since the name of the job is nowhere in it.
 */
bool index_excludes(const char *path, struct str job);
