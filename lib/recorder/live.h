/* SPDX-License-Identifier: BSD-3-Clause */
/* live.h - make a record of the newest sample of this node, without writing it */
#pragma once

#include "recorder/sampler.h"
#include "schema/record.h"

/* A record of the newest sample. Initialize with zeros. The memory is reused for each sample. */
struct live {
	struct record record;
	struct live_type {
		struct record_type type;
		struct record_key *key;	/* NULL until the type had a row */
	} *type;			/* types in the sampler's order */
	size_t n_types;
	struct record_row *row;
	struct record_rows *rows;
	struct str *job;
	struct mark *mark;
	size_t cap_row, cap_rows, cap_job, cap_mark;
	struct buf marks;
	struct below below;
	/*
	 * sum of .below_turn of all types when .below was made; another sum means that .below is
	 * out of date
	 */
	uint32_t below_turn;
};

void live_free(struct live *l);

/*
 * Make a record of all rows of the newest sample, except those of type nodometer. jobs is a list
 * such as "7,8"; marks are lines "%...". Marks are copied, and the marks of s->restarts are added.
 * The record borrows jobs and rows, so it is valid until they change, or until the next call. s
 * must be the same in all calls. Does not allocate in steady state.
 */
void live_fill(struct live *l, const struct sampler *s, int64_t usec, struct str jobs,
	       struct str marks);
