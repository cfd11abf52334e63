/* SPDX-License-Identifier: BSD-3-Clause */
/* tidy.h - when nodometer-tidy runs, which packs and removes closed files of a host */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include "base/keys.h"
#include "base/listener.h"

#define TIDY_DAYS  90		/* where nothing else is asked for */
#define TIDY_FLOOR -1		/* 256M, or 5% of a file system where that is less */
#ifdef HAVE_ZSTD
#define TIDY_PACKS true
#else
#define TIDY_PACKS false	/* closed files stay as they are */
#endif

/* The options of nodometer-tidy that are keys of the configuration, too, with their ranges. */
#define TIDY_DAYS_KEY(at)  "retain-days", KEY_NUMBER, (at), key_counts, 0, 36500
#define TIDY_SIZE_KEY(at)  "retain-size", KEY_NUMBER, (at), key_sizes,  0, INT64_MAX
#define TIDY_FLOOR_KEY(at) "free-floor",  KEY_NUMBER, (at), key_sizes,  0, INT64_MAX

/* nodometer-tidy(8) */
struct tidy_limits {
	int64_t days;			/* 0: for ever */
	int64_t bytes;			/* 0: no limit */
	int64_t free_floor;		/* bytes of the file system left to others, or TIDY_FLOOR */
	bool compress;
};

/* When it ran, and whether it does; of zeros at first. */
struct tidy {
	int64_t started_ns;		/* monotonic */
	bool running;			/* for who starts it to set */
	bool soon;
	pid_t pid;			/* tidy_look()'s own */
};

/*
 * Whether it is to be started: every hour; with now, also a minute after the last time, so that a
 * disk that stays full is not tidied at every tick. Not while it runs.
 */
bool tidy_due(struct tidy *t, bool now);

/* Whether the file system has less room than that for users who are not root. */
bool tidy_below(const struct statvfs *v, int64_t free_floor);

/* The process has ended; a failure is said. */
void tidy_ended(struct tidy *t, bool failed, const struct listener *listener);

/* Starts it on DIR/HOST: its pid, or -errno, which is said. */
pid_t tidy_start(const char *dir, const char *host, const struct tidy_limits *l,
		 const struct listener *listener);

/*
 * All of that, for who has no event loop: looks whether it has ended, and starts it where it is
 * due.
 */
void tidy_look(struct tidy *t, const char *dir, const char *host, const struct tidy_limits *l,
	       bool now, const struct listener *listener);

/* For a command that ends only when it is done; pid may be -errno. */
void tidy_wait(pid_t pid);
