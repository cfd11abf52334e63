/* SPDX-License-Identifier: BSD-3-Clause */
/* calls_shared.h - what the programs in the kernel and the reader of their records both see */
#pragma once

/*
 * Members are in such an order that structures have one layout whether 64 bits are aligned to 8 or,
 * as on i386, to 4.
 */

enum {
	CALLS      = 512,	/* numbers of system calls; all that are traced are below */
	CALL_TEXT  = 4096,	/* PATH_MAX of Linux, with its NUL */
	CALL_PATHS = 16384,	/* paths that the reader remembers */
};

/* Arguments of a system call, from 1; 0: it has none of this kind. */
struct call_kind {
	unsigned char traced;
	unsigned char op;		/* enum operation */
	unsigned char fd;		/* the open file that it is on */
	unsigned char dir, path;	/* path, below a directory's descriptor, or AT_FDCWD */
	unsigned char to_fd, to_dir, to_path;	/* a second one */
	unsigned char text;		/* a name or target that is no path from here */
	unsigned char flags, mode, size;
	unsigned char asked;		/* bytes */
	unsigned char parts;		/* or a struct iovec[], of which the next argument is n */
	unsigned char position;
	unsigned char position_at;	/* a pointer to it, or NULL: that of the file */
	unsigned char how;		/* a struct open_how, of flags and mode */
	unsigned char status;		/* where it puts a struct stat or statx, ... */
	unsigned char mode_at;		/* ... which have the mode there */
	unsigned char opens;		/* the result is a descriptor */
	unsigned char early;		/* the end of the call is too late to look at the file */
};

enum call_record_kind { RECORD_CALL = 1, RECORD_PATH };

/* Followed by .n and .to_n bytes of text. Paths of files are numbers of records before. */
struct call_record {
	unsigned kind;
	unsigned number;		/* of the system call */
	unsigned long long start, ns;	/* CLOCK_MONOTONIC, and duration */
	long long result;		/* negative: -errno */
	unsigned long long exe, file, to_file;	/* 0: none */
	unsigned long long size, position, asked;
	unsigned uid, gid, pid, file_mode;
	unsigned flags, mode, created, umask;
	unsigned n, to_n;		/* with its NUL, 0: it could not be read */
};

/* Followed by .n bytes: names from the last one to the first, each with its NUL. */
struct path_record {
	unsigned kind;
	unsigned n;
	unsigned long long id;
};

/* Of a thread that is traced; all zero is a new one. */
struct calls_thread {
	unsigned long long start;	/* of its call, or 0 */
	unsigned long long exe;
	unsigned long long file;	/* of a call that is .early, and the file's mode */
	unsigned file_mode, number;
};

/* Written by the programs. */
struct calls_counts {
	unsigned long long ids;		/* paths so far */
	unsigned long long lost;	/* calls of which there was no room for the record */
	unsigned long long other;	/* calls of programs that are not of 64 bits */
	long long live;			/* threads that are traced */
};
