/* SPDX-License-Identifier: BSD-3-Clause */
/* sections.h - the sections [sink NAME] of the configuration: sinks and their keys */
#pragma once

#include <stdio.h>
#include "base/system/confine.h"
#include "recorder/config.h"
#include "sinks/sink.h"

#define SECTIONS_MAX 32
#define SECTION_NAME 48

struct section {
	char name[SECTION_NAME];	/* "xrootd", or "xrootd LABEL" where there are several */
	const struct sink *sink;
	void *state;			/* the sink's, with its keys set */

	/* Keys that each of them has. */
	char types[KEY_TEXT_MAX];	/* empty: all but proc */
	char drop[KEY_TEXT_MAX];	/* TYPE or TYPE.KEY ... */
	char labels[KEY_TEXT_MAX];	/* NAME=VALUE ... */
	bool live, runs;
	char lines[KEY_TEXT_MAX + 272];	/* a file whose lines are sent instead of records */
	int64_t interval_us;		/* 0: each record */
	int64_t delay_us;		/* of which each host waits a part of its own */
	int64_t rate;			/* records a second, at most */
	char above[KEY_TEXT_MAX];	/* of a folder to write to that is not there yet */
};

/* All zero are none. */
struct sections {
	struct section *one[SECTIONS_MAX];
	size_t n;
};

/* For options_read(): the sections that it finds become some of *s. */
struct config_sinks sections_take(struct sections *s);

/* Checks that need several keys or sections: 0, or -EINVAL and lines in errors. */
int sections_check(const struct sections *s, const struct config *c,
		   struct buf *errors) MUST_CHECK;

/* Sets .lines of those with .runs: the file of this host's summaries of jobs. */
void sections_find_runs(const struct sections *s, const struct config *c, const char *host);

/* Adds warnings to c: of folders that the sinks and the cursors need, see config_look(). */
void sections_look(const struct sections *s, struct config *c);
void sections_free(struct sections *s);

/* The name of its file in the folder of cursors: "xrootd", "xrootd.LABEL". */
void section_put_file(struct buf *b, const struct section *s);

/* The paths that their keys name, for confine(): how many there are, max at most. */
size_t sections_put_paths(const struct sections *s, struct confine_path *to, size_t max);

/* For --help: all sinks and their keys. */
void sections_print(FILE *to);
