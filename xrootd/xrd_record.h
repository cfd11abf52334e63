/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_record.h - write record groups of XRootD monitoring to an archive or a file */
#pragma once

#include "archive/archiver.h"
#include "archive/host.h"
#include "archive/tidy.h"
#include "xrootd/sums/xrd_reports.h"
#include "xrootd/sums/xrd_sums.h"

struct xrd_recorder {
	const char *dir;	/* directory of the archive; NULL: write record groups to .fd */
	struct tidy_limits retain;
	/* delete old files as `retain` says, and hold record groups while the disk is full */
	bool live;
	const struct listener *listener;	/* receives error messages; or NULL */
	/* descriptor of the file; set .headed to false when you replace it */
	int fd;
	bool headed;		/* the header was written to .fd */
	struct archiver out;
	struct files root;
	struct topology topology;
	struct host host;
	struct buf schema, group;
	struct tidy tidy;
	/*
	 * time of the newest record group, in microseconds; if records go to a file, this includes
	 * a group that could not be written
	 */
	int64_t last_us;
	int64_t cpu_ns;
	bool begun;		/* the first record group, with restart marks, was made */
	bool written;		/* a record group was written */
	bool failure_reported;		/* the failure was already reported */
	struct xrd_reports *reports;	/* rows of summary packets, or NULL */
	const uint64_t *bytes;	/* bytes of all datagrams received */
	uint64_t bytes_recorded;
};

/* Set the hostname, if it is needed before xrd_recorder_open(). Returns 0 or -errno. */
int xrd_recorder_identify(struct xrd_recorder *r) MUST_CHECK;
/*
 * Open the output. First set `bytes` and either `dir` and `retain`, or `fd`. Returns 0 or -errno.
 */
int xrd_recorder_open(struct xrd_recorder *r) MUST_CHECK;

/*
 * Continue the record groups of an earlier run, whose newest group was at last_us, in a file of
 * `size` bytes. Returns false if the file or archive has changed since, or if the archive cannot be
 * locked. *until_us: time of the newest group in the archive; 0 if unknown, as in a file.
 */
bool xrd_recorder_resume(struct xrd_recorder *r, int64_t last_us, uint64_t size, int64_t *until_us);
/* Get the size of the file; 0 for an archive. */
uint64_t xrd_recorder_size(const struct xrd_recorder *r);
void xrd_recorder_close(struct xrd_recorder *r);

/*
 * Write a record group. A failure of an archive is reported once, and with `live` the record group
 * waits in memory; for a file, the caller reports the failure. No counts are lost with a group,
 * because sums never decrease and the next group includes its cost, too. Returns 0 or -errno.
 */
int xrd_recorder_minute(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s) MUST_CHECK;
