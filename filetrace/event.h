/* SPDX-License-Identifier: BSD-3-Clause */
/* event.h - an operation on a file: who asked for what, and when it was done (seed 003) */
#pragma once

#include "base/buf.h"

/*
 * The seed's twenty, then what it does not name: recorded only where --events names them. The last
 * is no operation: the recorder's statement of what it lost since the one before, also at the end.
 */
enum operation {
	OP_ACCESS, OP_CLOSE, OP_CREAT, OP_FLUSH, OP_GETXATTR, OP_LISTXATTR, OP_MKDIR, OP_OPEN,
	OP_READ, OP_READDIR, OP_READLINK, OP_REMOVEXATTR, OP_RENAME, OP_SETATTR, OP_SETXATTR,
	OP_STAT, OP_STATFS, OP_SYMLINK, OP_UNLINK, OP_WRITE,
	OPS_OF_SEED,
	OP_FSYNC = OPS_OF_SEED, OP_LINK, OP_MKNOD, OP_FALLOCATE, OP_LSEEK, OP_COPY,
	OPERATIONS,
	OP_LOST = OPERATIONS,
	EVENT_KINDS
};

/* Sets of operations, by their bits. */
#define OPERATION(op)      ((uint32_t)1 << (op))
#define OPERATIONS_OF_SEED (OPERATION(OPS_OF_SEED) - 1)

const char *operation_name(enum operation op);

/*
 * The set of a list of names with commas between them; "all" is every operation. -EINVAL: *bad is
 * a name that is none.
 */
int operations_take(struct str list, uint32_t *set, struct str *bad) MUST_CHECK;

struct event {
	int64_t start;			/* nanoseconds of the Unix epoch */
	int64_t ns;			/* duration, by a clock that nobody sets */
	struct str user, group;		/* "" where the system has no name */
	uint32_t uid, gid, pid;		/* pid 0: the kernel names no process */
	struct str process;		/* executable file of it, or "" */
	struct str path;
	bool is_dir;
	enum operation op;
	int result;			/* 0, or errno */

	/* Of these, what event.c's table has for the operation. */
	struct str text;		/* the new path, the target, the attribute's name */
	uint32_t flags;			/* of open(2); of access(2): its mode */
	uint32_t mode;			/* permissions */
	uint64_t size, position, asked, done;	/* bytes */
	uint64_t lost;			/* records */
	uint64_t calls32;		/* calls of 32-bit programs, which have no records */
};

/* Values that records of an operation have beyond the common ones; and how to read them again. */
size_t event_values(enum operation op);
const char *event_value_key(enum operation op, size_t i);
/* False: the text is not such a value. Of flags and modes only the text is kept by a reader. */
bool event_set_value(struct event *e, size_t i, struct str text) MUST_CHECK;

/* A line each. with_result: errno's number is the last column, the last member of "op". */
void event_put_csv(struct buf *b, const struct event *e, bool with_result);
void event_put_json(struct buf *b, const struct event *e, bool with_result);
