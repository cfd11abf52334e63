/* SPDX-License-Identifier: BSD-3-Clause */
/* input.h - open and list files of records: plain, .gz, .zst, standard input, or an archive */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/buf.h"
#include "base/listener.h"
#include "formats/format.h"

struct input;

/*
 * Open a file or a URL (archive/remote.h); "-" is standard input. Compression is detected by the
 * first bytes. Returns 0 or -errno; -EOPNOTSUPP if this build cannot decompress the file.
 */
int input_open(const char *path, struct input **ret) MUST_CHECK;

/*
 * The two steps of input_open(). input_open_file() returns a descriptor or -errno.
 * input_take_file() detects the format and takes fd over, even if it fails; if fd is a -errno, it
 * returns this error.
 */
int input_open_file(const char *path) MUST_CHECK;
int input_take_file(int fd, struct input **ret) MUST_CHECK;
void input_free(struct input *in);	/* accepts NULL */

/* Returns the size of an uncompressed file, or -1 if the input is compressed or a pipe. */
int64_t input_plain_size(const struct input *in);

/* Returns a source for records_open(). It borrows the input. */
struct byte_source input_bytes(struct input *in);

/*
 * Returns the error that ended reading, or 0; -ENODATA if compressed data end too early; -EILSEQ if
 * compressed data are damaged. All bytes before the error were delivered.
 */
int input_error(const struct input *in);

/*
 * Append a whole file, uncompressed, to b, which may then have at most `most` bytes. Returns 0 or
 * -errno; -EFBIG if it would have more.
 */
int input_read_all(const char *path, size_t most, struct buf *b) MUST_CHECK;

/* Returns the reason of a failure as a sentence without full stop and file name. */
const char *input_why(int error);
/* Append why a path could not be opened, and what to do. */
void input_explain(struct buf *b, const char *path, int error);
/*
 * Append why a FILE on the command line could not be opened. If there is no such file and the word
 * has no "/", suggest that it is a job id.
 */
void input_explain_operand(struct buf *b, const char *file, int error);

/* a file DIR/HOST/EPOCH[.zst|.gz] of an archive */
struct archive_file {
	char *path;	/* path, beginning with the dir of archive_list() */
	char *host;	/* name of the file's folder */
	/*
	 * TIME of its first record group in seconds since 1970, from the file's name; INT64_MIN if
	 * unknown, as for a single file
	 */
	int64_t epoch;
};

/* Append why the folder of an archive cannot be listed, and what to do if there is none. */
void archive_explain(struct buf *why, const char *dir, int error);

/*
 * List the files of records below dir, a folder or URL, sorted by host and epoch. Other files, such
 * as "lock", are not listed. dir may also be the folder of one host, or a single file, whose host
 * is the first host in its records.
 *
 * If there are several copies of a file, such as EPOCH and EPOCH.zst, only the copy with most text
 * is listed. A file "current" that is not a hard link to EPOCH also counts as a copy.
 *
 * Returns 0, or -errno if dir or a folder of a host cannot be opened. A folder without permission
 * is skipped if other hosts can be listed. `why` may be NULL; otherwise it gets the path that
 * failed and the reason, also for a skipped folder. Free *ret with archive_list_free().
 */
int archive_list(const char *dir, struct archive_file **ret, size_t *n,
		 struct buf *why) MUST_CHECK;
/* sort files by host and epoch */
void archive_sort(struct archive_file *file, size_t n);
/*
 * Returns true if file i may have records with times from since to until (us), judging by its name
 * and the name of the host's next file.
 */
bool archive_may_hold(const struct archive_file *file, size_t n, size_t i, int64_t since,
		      int64_t until);
/* Like archive_may_hold(), for a time range that is more_us longer at both ends. */
bool archive_may_hold_near(const struct archive_file *file, size_t n, size_t i, int64_t since,
			   int64_t until, int64_t more_us);
/* Return the time (us) in the name of the host's next file after file i, or 0 if there is none. */
int64_t archive_next_start(const struct archive_file *file, size_t n, size_t i);
/* Returns true if both names may be of the same host, as "n1" and "n1.example.org" are. */
bool archive_is_same_host(struct str a, struct str b);
/*
 * Replace the hostname *host, full or short, by the name that the host has in file[0..n); the
 * result borrows from the list. A pattern or an unknown name is left unchanged. Returns 0, or
 * -ENOTUNIQ if a short name matches several hosts, which is also reported to the listener.
 */
int archive_find_host(const struct archive_file *file, size_t n, const char **host,
		      const struct listener *listener) MUST_CHECK;
void archive_list_free(struct archive_file *files, size_t n);
/*
 * Returns true if path is a lock, a temporary file or a file of torn tails in the folder
 * DIR/HOST of a host. A shell pattern for all files of this folder may match such files.
 */
bool archive_is_aside(const char *path);
