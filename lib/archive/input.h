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
 * Open a file or a URL (archive/remote.h); "-" is standard input. Compression is recognized by the
 * first bytes, never by the name. Returns 0 or -errno; -EOPNOTSUPP if the file is compressed and
 * this build lacks the library.
 */
int input_open(const char *path, struct input **ret) MUST_CHECK;

/*
 * The two steps of input_open(): open a descriptor without reading (or return -errno), and take the
 * descriptor over.
 */
int input_open_file(const char *path) MUST_CHECK;
int input_take_file(int fd, struct input **ret) MUST_CHECK;
void input_free(struct input *in);	/* accepts NULL */

/* Returns the size of a plain file, or -1 if the input is compressed or a pipe. */
int64_t input_plain_size(const struct input *in);

/* Returns a source for records_open() that borrows the input. */
struct byte_source input_bytes(struct input *in);

/*
 * Returns the error that ended reading, or 0; -ENODATA if compressed data end too early, -EILSEQ if
 * they are damaged. Everything before the error was delivered.
 */
int input_error(const struct input *in);

/* Append a whole file of at most `most` bytes to b. Returns 0 or -errno; -EFBIG if it has more. */
int input_read_all(const char *path, size_t most, struct buf *b) MUST_CHECK;

/*
 * Returns the reason of a failure as a sentence without a full stop, without the name of the file.
 */
const char *input_why(int error);
/* Append why opening path failed, and what to do. */
void input_explain(struct buf *b, const char *path, int error);
/* The same for a FILE operand. A word without "/" that is no file may be meant as a job id. */
void input_explain_operand(struct buf *b, const char *file, int error);

/* a file DIR/HOST/EPOCH[.zst|.gz] of an archive */
struct archive_file {
	char *path;	/* begins with the dir passed to archive_list() */
	char *host;	/* name of the folder */
	int64_t epoch;	/* second of the first record group, from the name; or INT64_MIN */
};

/*
 * List the files of records below dir, which may be a URL, sorted by host and epoch. Names that are
 * not an epoch, such as "lock", are left out.
 *
 * If a file has several copies (EPOCH and EPOCH.zst, gathered at different times), the longest is
 * used. A "current" that was copied, and so is no hard link to its file, is used if it has more
 * than that file or is the only copy. If dir itself contains files of records, it is the folder of
 * one host; if it is a file, it is the only entry, with the first host that it names.
 *
 * Returns 0 or -errno (of opening dir or a host's folder). A host's folder without permission is
 * left out if other hosts can be listed. `why`, if not NULL, gets the path that failed and the text
 * of input_explain(), also if 0 is returned and a host was left out.
 */
int archive_list(const char *dir, struct archive_file **ret, size_t *n,
		 struct buf *why) MUST_CHECK;
void archive_sort(struct archive_file *file, size_t n);	/* by host and epoch, as listed */
/*
 * Returns true if file i may have records between since and until (microseconds), judging by its
 * name and the next one.
 */
bool archive_may_hold(const struct archive_file *file, size_t n, size_t i, int64_t since,
		      int64_t until);
/* The same for a range extended by more_us at both ends. */
bool archive_may_hold_near(const struct archive_file *file, size_t n, size_t i, int64_t since,
			   int64_t until, int64_t more_us);
/*
 * Return the time in microseconds at which the host's file after file i begins, by its name.
 * Returns 0 if there is none.
 */
int64_t archive_next_start(const struct archive_file *file, size_t n, size_t i);
/* "n1" and "n1.example.org" are the same host */
bool archive_is_same_host(struct str a, struct str b);
/*
 * Replace the hostname *host, full or short, by the name of the host in these files. A pattern for
 * fnmatch(3) and an unknown name stay. Returns 0, or -ENOTUNIQ if a short name matches several
 * hosts, and tells the listener.
 */
int archive_find_host(const struct archive_file *file, size_t n, const char **host,
		      const struct listener *listener) MUST_CHECK;
void archive_list_free(struct archive_file *files, size_t n);
/*
 * Returns true if path, which may come from a shell pattern, is not a file of records of DIR/HOST
 * but a file that its writers keep there: a lock, a torn tail, or a file in the making.
 */
bool archive_is_aside(const char *path);
