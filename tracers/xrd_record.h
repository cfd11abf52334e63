/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_record.h - record groups of what servers tell: in an archive, or one after another */
#pragma once

#include "archive/archive.h"
#include "archive/host.h"
#include "archive/tidy.h"
#include "tracers/xrd_sums.h"

struct xrd_recorder {
	const char *dir;	/* of an archive; NULL: to .fd */
	struct tidy_limits retain;
	bool keep_tidy;		/* .dir is kept within .retain */
	int fd;			/* another one than before: .headed is false again */
	bool headed;		/* .fd has the header */
	struct archive archive;
	struct files root;
	struct topology topology;
	struct host host;
	struct buf schema, header, group;
	struct tidy tidy;
	pid_t tidy_pid;
	int64_t last_us;	/* TIME of the newest group */
	int64_t cpu_ns;
	uint64_t failed;	/* writes since the last group */
	bool begun;		/* the first group of this run, with its marks, is written */
	bool said;		/* that it cannot be written */
	const uint64_t *bytes;	/* of datagrams, all told; and at the last group */
	uint64_t bytes_told;
};

/* With .dir and .retain, or .fd, and .bytes, set. 0 or -errno: the archive cannot be written. */
int xrd_recorder_open(struct xrd_recorder *r) MUST_CHECK;
void xrd_recorder_close(struct xrd_recorder *r);

/*
 * A record group. What cannot be written is said, once: the next group has its counts, too, since
 * sums only grow. 0 or -errno.
 */
int xrd_recorder_minute(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s) MUST_CHECK;
