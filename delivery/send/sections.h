/* SPDX-License-Identifier: BSD-3-Clause */
/* sections.h - read the sections [sink NAME] of the configuration: sinks and their keys */
#pragma once

#include <stdio.h>
#include "base/system/confine.h"
#include "recorder/config.h"
#include "sinks/sink.h"

#define SECTIONS_MAX 32
#define SECTION_NAME 48
#define SECTION_ABOVE_MAX 3	/* limit of the entries in .above */

struct section {
	char name[SECTION_NAME];	/* "xrootd", or "xrootd LABEL" if there are several */
	const struct sink *sink;
	void *state;			/* state of the sink, with its keys set */

	/* keys that every section has */
	char types[KEY_TEXT_MAX];	/* key "types"; empty: all types but proc */
	char drop[KEY_TEXT_MAX];	/* key "drop": a list of TYPE or TYPE.KEY */
	char labels[KEY_TEXT_MAX];	/* key "labels": a list of NAME=VALUE */
	bool live, runs;
	char lines[KEY_TEXT_MAX + 272];	/* file with lines to send instead of records */
	int64_t interval_us;		/* shortest time between two records; 0: send all */
	/* key "delay": each host delays its records by less than this, see feed_delay_us() */
	int64_t delay_us;
	int64_t max_age_us;		/* records older than this are left out; 0: no limit */
	/* limit of records or lines per second; 0: the default of section_rate() */
	int64_t rate;
	/* parent folders that confinement rules name instead of paths in this section's keys */
	char above[SECTION_ABOVE_MAX][KEY_TEXT_MAX];
};

/* Return the limit of records or lines per second: the key "rate", or its default. */
int64_t section_rate(const struct section *s);

/* The sections of a configuration. All zero is valid and empty. */
struct sections {
	struct section *one[SECTIONS_MAX];
	size_t n;
};

/* Return callbacks with which options_read() adds the sections of the configuration to *s. */
struct config_sinks sections_take(struct sections *s);

/* Check rules that involve several keys or sections. Returns 0, or -EINVAL and lines in errors. */
int sections_check(const struct sections *s, const struct config *c,
		   struct buf *errors) MUST_CHECK;

/* Set .lines of sections with .runs to the file of this host's job summaries. */
void sections_find_runs(const struct sections *s, const struct config *c, const char *host);

/*
 * Open the files that the sinks' keys name, to check them, and add warnings about folders and files
 * to c; see config_look(). Returns 0, or -EINVAL and lines in errors.
 */
int sections_look(const struct sections *s, struct config *c, struct buf *errors) MUST_CHECK;

/* Append "FILE:LINE: [sink NAME] ". */
void section_put_place(const struct section *s, const struct config *c, struct buf *b);
void sections_free(struct sections *s);

/* Append the file name of the section's cursor: "xrootd" or "xrootd.LABEL". */
void section_put_file(struct buf *b, const struct section *s);

/*
 * Fill `to` with the paths in the sections' keys, for confine(). The paths borrow from the
 * sections. Returns the number of paths, at most max.
 */
size_t sections_put_paths(const struct sections *s, struct confine_path *to, size_t max);

/* Print all sinks and their keys, for --help. */
void sections_print(FILE *to);
