/* SPDX-License-Identifier: BSD-3-Clause */
/* input.h - files of records as readers meet them: plain, .gz, .zst, standard input, an archive */
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
 * Opens a file, or a URL (archive/remote.h), "-" is standard input. Compression is known by the
 * first bytes, never by the name.
 * 0 or -errno; -EOPNOTSUPP if it is compressed and this build lacks the library.
 */
int input_open(const char *path, struct input **ret) MUST_CHECK;

/* Both halves of it: a descriptor or -errno, before a byte is read, which the second one takes. */
int input_open_file(const char *path) MUST_CHECK;
int input_take_file(int fd, struct input **ret) MUST_CHECK;
void input_free(struct input *in);	/* NULL is fine */

/* Bytes of a plain file; -1 where it is compressed, or a pipe. */
int64_t input_plain_size(const struct input *in);

/* For records_open(); borrows the input. */
struct byte_source input_bytes(struct input *in);

/*
 * The error that ended reading, or 0: -ENODATA if compressed data end too early, -EILSEQ if they
 * are damaged. Everything before was delivered.
 */
int input_error(const struct input *in);

/* Why opening or reading failed, as a sentence without a full stop; the name is not in it. */
const char *input_why(int error);
/* The same of opening path, and what to do about it. */
void input_explain(struct buf *b, const char *path, int error);

/* DIR/HOST/EPOCH[.zst|.gz] of an archive. */
struct archive_file {
	char *path;	/* begins with the dir that was asked for */
	char *host;	/* name of its folder */
	int64_t epoch;	/* in the name: the second of its first record group; or INT64_MIN */
};

/*
 * Every file of records below dir, which may be a URL, by host and then by epoch; "lock" and other
 * names that are not an epoch are left out. Of copies of one file (EPOCH and EPOCH.zst, gathered at
 * different times) the one that reaches further is taken; so is "current" where it was copied and
 * is no hard link to its file, if it has more than that, or is all there is. If dir itself holds
 * files of records, it is one host's folder; if it is a file, that is all, and its host is the one
 * that it names first.
 * 0 or -errno (of opening dir; a host's folder that cannot be opened is an error too, but where
 * others can be and this one may not); why, if it is not NULL, gets the path that failed and what
 * input_explain() has of it, also with 0: that host is left out.
 */
int archive_list(const char *dir, struct archive_file **ret, size_t *n,
		 struct buf *why) MUST_CHECK;
/* By its name and the next, whether file i may have records of that time, in microseconds. */
bool archive_may_hold(const struct archive_file *file, size_t n, size_t i, int64_t since,
		      int64_t until);
/* The same of a time so much longer at both ends. */
bool archive_may_hold_near(const struct archive_file *file, size_t n, size_t i, int64_t since,
			   int64_t until, int64_t more_us);
bool archive_is_same_host(struct str a, struct str b);	/* "n1" and "n1.example.org" are one */
/*
 * The host of these files that *host names in full or short, for fnmatch(3); a pattern, and what
 * names none, stays. -ENOTUNIQ: a short name of more than one, which the listener is told.
 */
int archive_find_host(const struct archive_file *file, size_t n, const char **host,
		      const struct listener *listener) MUST_CHECK;
void archive_list_free(struct archive_file *files, size_t n);
/*
 * Whether path, which a pattern of the shell may have named, is no file of records of DIR/HOST, but
 * what its writers keep beside them: a lock, a torn tail, or a file that is being made.
 */
bool archive_is_aside(const char *path);
