/* SPDX-License-Identifier: BSD-3-Clause */
/* tidy.h - decide when nodometer-tidy runs, and start it for a host */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include "base/keys.h"
#include "base/listener.h"

#define TIDY_DAYS  90		/* default retention, days */
/* default of free-floor: 256 MiB, or 5% of the file system if that is less */
#define TIDY_FLOOR -1
#ifdef HAVE_ZSTD
#define TIDY_PACKS true
#else
#define TIDY_PACKS false	/* this build has no libzstd, so closed files stay uncompressed */
#endif

/* Options of nodometer-tidy that are also configuration keys, with their ranges. */
#define TIDY_DAYS_KEY(at)  "retain-days", KEY_NUMBER, (at), key_counts, 0, 36500
#define TIDY_SIZE_KEY(at)  "retain-size", KEY_NUMBER, (at), key_sizes,  0, INT64_MAX
#define TIDY_FLOOR_KEY(at) "free-floor",  KEY_NUMBER, (at), key_sizes,  0, INT64_MAX

/* Limits, see nodometer-tidy(8). */
struct tidy_limits {
	int64_t days;			/* retention in days, 0: forever */
	int64_t bytes;			/* size of the archive, 0: no limit */
	int64_t free_floor;	/* bytes that must stay free on the file system, or TIDY_FLOOR */
	bool compress;
};

/* State of nodometer-tidy for one host. Initialize with zeros. */
struct tidy {
	int64_t started_ns;		/* monotonic time of the last start */
	bool running;	/* nodometer-tidy is running; set by the caller that starts it */
	bool soon;
	pid_t pid;			/* private to tidy_look() */
};

/*
 * Returns true if nodometer-tidy should be started. It is due once an hour or, if `now` is set,
 * once a minute: a full disk must not start it at every sample. Returns false while it runs.
 */
bool tidy_due(struct tidy *t, bool now);

/* Returns true if users other than root can use less than free_floor bytes on the file system. */
bool tidy_below(const struct statvfs *v, int64_t free_floor);

/*
 * Call this when nodometer-tidy has ended. If `failed` is set, the failure is reported to the
 * listener.
 */
void tidy_ended(struct tidy *t, bool failed, const struct listener *listener);

/* Start nodometer-tidy for DIR/HOST. Returns its pid, or -errno after it reported the failure. */
pid_t tidy_start(const char *dir, const char *host, const struct tidy_limits *l,
		 const struct listener *listener);

/*
 * Check whether nodometer-tidy has ended, and start it if it is due. For callers that have no event
 * loop.
 */
void tidy_look(struct tidy *t, const char *dir, const char *host, const struct tidy_limits *l,
	       bool now, const struct listener *listener);

/*
 * Wait until nodometer-tidy ends. Used by commands that must not end earlier. pid is the result of
 * tidy_start(), and may be -errno.
 */
void tidy_wait(pid_t pid);
