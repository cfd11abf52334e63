/* SPDX-License-Identifier: BSD-3-Clause */
/* event.h - an operation on a file, recorded with the columns of the file tracer cluefs */
#pragma once

#include "base/buf.h"

/*
 * The 20 operations that cluefs records come first. The other operations are recorded only if
 * --events names them. OP_LOST is no operation: an OP_LOST record states how many records the
 * recorder lost since the previous OP_LOST record. If the recorder lost anything, a complete file
 * ends with an OP_LOST record.
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

/* OPERATION(): bit of op in a set of operations; OPERATIONS_OF_SEED: set of cluefs's operations. */
#define OPERATION(op)      ((uint32_t)1 << (op))
#define OPERATIONS_OF_SEED (OPERATION(OPS_OF_SEED) - 1)

const char *operation_name(enum operation op);

/*
 * Parse a comma-separated list of operation names into a set; "all" selects every operation.
 * Returns 0, or -EINVAL with *bad set to the unknown name.
 */
int operations_parse(struct str list, uint32_t *set, struct str *bad) MUST_CHECK;

struct event {
	int64_t start;			/* nanoseconds since the Unix epoch */
	/* duration in nanoseconds, measured with a clock that is never set */
	int64_t ns;
	struct str user, group;		/* names, or "" if the id has no name */
	uint32_t uid, gid, pid;		/* pid is 0 if the kernel names no process */
	struct str process;		/* path of the process's executable, or "" */
	struct str path;
	bool is_dir;
	enum operation op;
	int result;			/* 0 on success, or a positive errno */

	/*
	 * The members below are valid only if the table operations[] in event.c lists them for .op.
	 * Exception: an open event that is passed to sender_opened() has the size of the file in
	 * .size.
	 */
	/* new path, link target, or name of the extended attribute */
	struct str text;
	uint32_t flags;			/* flags of open(2), or mode of access(2) */
	uint32_t mode;			/* permission bits */
	uint64_t size, position, requested, done;	/* all four in bytes */
	uint64_t lost;			/* in OP_LOST: number of lost records */
	/* in OP_LOST: number of calls of 32-bit programs, which are not recorded */
	uint64_t calls32;
};

/* Return the number of values that records of an operation have after the common columns. */
size_t event_values(enum operation op);
const char *event_value_key(enum operation op, size_t i);
/*
 * Set the value with index i of the operation e->op from its text. e->text may then point into this
 * text. Returns false if the text is invalid. Flags and modes are ignored, because no reader of
 * records uses them.
 */
bool event_set_value(struct event *e, size_t i, struct str text) MUST_CHECK;

/*
 * Append an event as one line. With with_result, e->result is the last column of CSV, or the last
 * member of "op" in JSON.
 */
void event_put_csv(struct buf *b, const struct event *e, bool with_result);
void event_put_json(struct buf *b, const struct event *e, bool with_result);
