/* SPDX-License-Identifier: BSD-3-Clause */
/* calls_shared.h - structures shared by the BPF programs and the reader of their records */
#pragma once

/*
 * The order of members gives each structure the same layout whether 64-bit integers are aligned to
 * 8 bytes or, as on i386, to 4.
 */

enum {
	/* size of tables by system call number; all traced calls have lower numbers */
	CALLS      = 512,
	CALL_TEXT  = 4096,	/* PATH_MAX of Linux, with the NUL */
	CALL_PATHS = 16384,	/* number of paths that the reader remembers */
};

/*
 * The position of each kind of argument in the argument list of a system call, counted from 1; 0
 * means that the call has no such argument.
 */
struct call_kind {
	unsigned char traced;
	unsigned char op;		/* a value of enum operation */
	unsigned char fd;		/* descriptor of an open file */
	/*
	 * .path: a path; .dir: descriptor of the directory that .path is relative to (or AT_FDCWD)
	 */
	unsigned char dir, path;
	unsigned char to_fd, to_dir, to_path;	/* the same three arguments for a second file */
	unsigned char text;		/* a name or link target that is not a path to resolve */
	unsigned char flags, mode, size;
	unsigned char requested;		/* number of bytes requested */
	/* an array struct iovec[], in place of .requested; the next argument is its length */
	unsigned char parts;
	unsigned char position;
	/* pointer to the position; if the pointer is NULL, the call uses the file's own position */
	unsigned char position_at;
	unsigned char how;		/* pointer to a struct open_how with flags and mode */
	unsigned char status;		/* pointer to the struct stat or statx to fill in */
	unsigned char mode_at;		/* not an argument: offset of the mode in *.status */
	unsigned char opens;		/* true: the result is a new descriptor */
	/* true: look up the file at the start of the call, because it is gone at the end */
	unsigned char early;
};

enum call_record_kind { RECORD_CALL = 1, RECORD_PATH };

/*
 * A system call. The record is followed by .n and .to_n bytes of text. Files are given by the ids
 * of earlier path records.
 */
struct call_record {
	unsigned kind;
	unsigned number;		/* number of the system call */
	unsigned long long start, ns;	/* start (CLOCK_MONOTONIC) and duration, in nanoseconds */
	long long result;		/* result of the call; a negative number is -errno */
	unsigned long long exe, file, to_file;	/* path ids; 0: none */
	unsigned long long size, position, requested;
	unsigned uid, gid, pid, file_mode;
	unsigned flags, mode, created, umask;
	/* lengths of the texts with their NUL; 0: there is no text, or it could not be read */
	unsigned n, to_n;
};

/*
 * A path. The record is followed by .n bytes: the names from the last to the first, each with a
 * NUL.
 */
struct path_record {
	unsigned kind;
	unsigned n;
	unsigned long long id;
};

/* State of a traced thread. All zero is a valid new state. */
struct calls_thread {
	/* start of the thread's current call in nanoseconds; 0: none is traced */
	unsigned long long start;
	unsigned long long exe;
	unsigned long long file;	/* for calls with call_kind.early: path id of the file */
	unsigned file_mode, number;
};

/* Counters that the BPF programs update. */
struct calls_counts {
	unsigned long long ids;		/* number of path ids assigned so far */
	unsigned long long lost;	/* number of calls not recorded because the ring was full */
	unsigned long long other;	/* number of calls by 32-bit programs */
	long long live;			/* number of traced threads that still run */
};
