/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_record.h - record groups of what servers report: in an archive, or one after another */
#pragma once

#include "archive/archiver.h"
#include "archive/host.h"
#include "archive/tidy.h"
#include "tracers/xrootd/sums/xrd_reports.h"
#include "tracers/xrootd/sums/xrd_sums.h"

struct xrd_recorder {
	const char *dir;	/* of an archive; NULL: to .fd */
	struct tidy_limits retain;
	bool live;		/* .dir is kept within .retain; on a full disk groups wait */
	const struct listener *listener;	/* hears what cannot be written, or NULL */
	int fd;			/* another one than before: .headed is false again */
	bool headed;		/* .fd has the header */
	struct archiver out;
	struct files root;
	struct topology topology;
	struct host host;
	struct buf schema, group;
	struct tidy tidy;
	int64_t last_us;	/* TIME of the newest group that is written */
	int64_t cpu_ns;
	bool begun;		/* the first group of this run, with its marks, was made */
	bool written;		/* and one was written since */
	bool said;		/* a failure to write was said */
	struct xrd_reports *reports;	/* of summary packets, or NULL */
	const uint64_t *bytes;	/* of all datagrams; and at the last group */
	uint64_t bytes_told;
};

/* With .dir and .retain, or .fd, and .bytes, set. 0 or -errno: the archive cannot be written. */
int xrd_recorder_identify(struct xrd_recorder *r) MUST_CHECK;	/* .host; may be left out */
int xrd_recorder_open(struct xrd_recorder *r) MUST_CHECK;

/*
 * The groups go on after those of an earlier run, whose newest was at last_us, in a file of size
 * bytes. False: there are others after it, up to *until_us if that can be known, else 0.
 */
bool xrd_recorder_resume(struct xrd_recorder *r, int64_t last_us, uint64_t size, int64_t *until_us);
uint64_t xrd_recorder_size(const struct xrd_recorder *r);	/* of a file */
void xrd_recorder_close(struct xrd_recorder *r);

/*
 * Writes a record group. A group that cannot be written is reported once, and waits in memory where
 * the run is live; a lost group costs minutes and no counts, since sums only grow. 0 or -errno.
 */
int xrd_recorder_minute(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s) MUST_CHECK;
