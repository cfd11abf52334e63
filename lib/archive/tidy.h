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
/* default of free-floor: 5% of the file system, at most 256 MiB */
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
	int64_t free_floor;	/* bytes to leave free on the file system, or TIDY_FLOOR */
	bool compress;
};

/* State of nodometer-tidy for one host. Initialize with zeros. */
struct tidy {
	int64_t started_ns;		/* time of the last start, in ns of CLOCK_MONOTONIC */
	bool running;	/* nodometer-tidy is running; set by the caller that starts it */
	bool soon;	/* since the last start, tidy_due() was called with `now` */
	pid_t pid;			/* private to tidy_look() */
};

/*
 * Returns true if nodometer-tidy is not running and should be started: once an hour or, with `now`,
 * once a minute, so that a full disk does not start it at every sample. If this returns true, the
 * start counts as made, so the caller must start it.
 */
bool tidy_due(struct tidy *t, bool now);

/* Returns true if users other than root have less than free_floor bytes of free space. */
bool tidy_below(const struct statvfs *v, int64_t free_floor);

/* Note that nodometer-tidy has ended. If `failed` is set, report this to the listener. */
void tidy_ended(struct tidy *t, bool failed, const struct listener *listener);

/* Start nodometer-tidy for DIR/HOST. Returns its pid, or -errno after reporting the failure. */
pid_t tidy_start(const char *dir, const char *host, const struct tidy_limits *l,
		 const struct listener *listener);

/*
 * Check whether nodometer-tidy has ended, and start it if it is due. For programs without an event
 * loop.
 */
void tidy_look(struct tidy *t, const char *dir, const char *host, const struct tidy_limits *l,
	       bool now, const struct listener *listener);

/* Wait until nodometer-tidy ends. pid is the result of tidy_start(), and may be -errno. */
void tidy_wait(pid_t pid);
