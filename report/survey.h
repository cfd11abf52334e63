/* SPDX-License-Identifier: BSD-3-Clause */
/* survey.h - collect sample times, marks and keys, before anything is drawn */
#pragma once

#include "report/lines.h"
#include "report/panels.h"

#define SURVEY_TIMES_MAX 1000	/* largest number of distinct sample times that are kept */
#define SURVEY_MARKS_MAX 32

/*
 * A user's request to draw .derived, if it is not NULL; else the key .key of the type .type; else,
 * if .key is empty, all keys of the type.
 */
struct wanted {
	struct str type, key;
	const struct derived *derived;
	bool found;
};

struct survey {
	struct wanted *wanted;
	size_t n_wanted;
	bool sum;		/* draw a single line for all nodes */
	bool by_device;		/* draw a line for each device of the requested types */
	/* draw only devices that match this fnmatch(3) pattern; NULL: all */
	const char *device;
	/*
	 * number of rows of the requested types, and of these rows the number that match .device;
	 * 0 unless .by_device or .device is set
	 */
	size_t rows, matched;
	size_t node;		/* index in the report of the node that is being read */
	struct lines lines;
	struct key_found *key;
	size_t n_keys;
	int64_t *time;		/* sample times, sorted by survey_end() */
	size_t n_times, cap_times;
	/* there were more than SURVEY_TIMES_MAX times; survey_end() then sets .n_times to 0 */
	bool many_times;
	/* times of begin and end marks; marks within a second are merged */
	int64_t mark[SURVEY_MARKS_MAX];
	size_t n_marks;
};

void survey_sample(void *survey, const struct job_sample *t);	/* callback for struct node_query */
void survey_end(struct survey *s);
void survey_free(struct survey *s);
