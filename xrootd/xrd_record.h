/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_record.h - write record groups of what servers report, to an archive or a file */
#pragma once

#include "archive/archiver.h"
#include "archive/host.h"
#include "archive/tidy.h"
#include "xrootd/sums/xrd_reports.h"
#include "xrootd/sums/xrd_sums.h"

struct xrd_recorder {
	const char *dir;	/* directory of the archive; NULL: write record groups to .fd */
	struct tidy_limits retain;
	/* keep the archive within `retain`, and hold record groups while the disk is full */
	bool live;
	const struct listener *listener;	/* gets errors; or NULL */
	/* descriptor of the file; when you replace it, set .headed to false */
	int fd;
	bool headed;		/* the header is written to .fd */
	struct archiver out;
	struct files root;
	struct topology topology;
	struct host host;
	struct buf schema, group;
	struct tidy tidy;
	int64_t last_us;	/* time of the newest record group written, in microseconds */
	int64_t cpu_ns;
	bool begun;		/* the first record group, with its marks, was made */
	bool written;		/* a record group was written */
	bool failure_reported;		/* the failure to write was reported */
	struct xrd_reports *reports;	/* rows of summary packets, or NULL */
	const uint64_t *bytes;	/* bytes of all datagrams received */
	uint64_t bytes_recorded;
};

/*
 * Set the hostname. Call this only if it is needed before xrd_recorder_open(). Returns 0 or -errno.
 */
int xrd_recorder_identify(struct xrd_recorder *r) MUST_CHECK;
/*
 * Open the output. First set `bytes` and either `dir` and `retain`, or `fd`. Returns 0 or -errno.
 */
int xrd_recorder_open(struct xrd_recorder *r) MUST_CHECK;

/*
 * Continue the record groups of an earlier run, whose newest record group was at last_us, in a file
 * of `size` bytes. Returns false if the file has newer record groups; *until_us is the time of its
 * newest record group, or 0 if unknown.
 */
bool xrd_recorder_resume(struct xrd_recorder *r, int64_t last_us, uint64_t size, int64_t *until_us);
/* Get the size of the file; 0 for an archive. */
uint64_t xrd_recorder_size(const struct xrd_recorder *r);
void xrd_recorder_close(struct xrd_recorder *r);

/*
 * Write a record group. A failure is reported once; if `live` is set, the record group waits in
 * memory. A lost record group loses no counts, because sums only grow. Returns 0 or -errno.
 */
int xrd_recorder_minute(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s) MUST_CHECK;
