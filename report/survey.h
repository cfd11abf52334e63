/* SPDX-License-Identifier: BSD-3-Clause */
/* survey.h - what must be known of all samples before they are drawn: times, marks, keys */
#pragma once

#include "report/lines.h"
#include "report/panels.h"

#define SURVEY_TIMES_MAX 1000	/* different times of samples that are kept */
#define SURVEY_MARKS_MAX 32

/* "TYPE:KEY", all keys of "TYPE" if .key is empty, or a derived figure, which no record has. */
struct wanted {
	struct str type, key;
	const struct derived *derived;
	bool found;
};

struct survey {
	struct wanted *wanted;
	size_t n_wanted;
	bool sum;		/* a single line for all */
	bool by_device;		/* a line for each device of the types that are wanted, */
	const char *device;	/* of these only, a pattern as of fnmatch(3); NULL: all */
	size_t node;		/* number of the node to look at */
	struct lines lines;
	struct key_found *key;
	size_t n_keys;
	int64_t *time;		/* of samples, in order when survey_end() was called */
	size_t n_times, cap_times;
	bool many_times;	/* too many: .time has none */
	int64_t mark[SURVEY_MARKS_MAX];	/* begin and end marks, those within a second once */
	size_t n_marks;
};

void survey_sample(void *survey, const struct job_sample *t);	/* for struct report */
void survey_end(struct survey *s);
void survey_free(struct survey *s);
