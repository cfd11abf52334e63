/* SPDX-License-Identifier: BSD-3-Clause */
/* live.h - the newest sample of this node as a record, before it is written */
#pragma once

#include "recorder/sampler.h"
#include "schema/record.h"

/* Keeps its memory from sample to sample. All zero is a valid empty one; live_free() ends it. */
struct live {
	struct record record;
	struct live_type {
		struct record_type type;
		struct record_key *key;	/* NULL: it had no row yet */
	} *type;			/* in the sampler's order */
	size_t n_types;
	struct record_row *row;
	struct record_rows *rows;
	struct str *job;
	struct mark *mark;
	size_t cap_row, cap_rows, cap_job, cap_mark;
	struct buf marks;
	struct below below;
	uint32_t below_turn;		/* of all types, when that was made */
};

void live_free(struct live *l);

/*
 * Makes a record of what the sampler has: of all rows that were read, but those about the agent
 * itself, which are written last. jobs is "7,8", marks are lines "%...". It refers to them and to
 * the sampler's rows: it is valid until one of them changes. Steady state: no allocation.
 */
void live_fill(struct live *l, const struct sampler *s, int64_t usec, struct str jobs,
	       struct str marks);
