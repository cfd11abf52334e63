/* SPDX-License-Identifier: BSD-3-Clause */
/* visible.h - the records of one host that the asker may see: those of runs of their own */
#pragma once

#include <sys/types.h>
#include "base/map.h"
#include "formats/answer.h"
#include "formats/raw_copy.h"

/* The user who asks, by the kernel's word. */
struct asker {
	uid_t uid;
	struct str user;	/* the login name, as marks have it; empty: not known */
	bool all;		/* may see all runs */
};

/*
 * A run is one from a begin mark of its id to the end mark, or to the last record in a row that
 * names the id. It is the asker's if its marks name the asker by uid=, user= or both, and nobody
 * else: a run that no mark gives to anybody is nobody's. The records are looked at twice, since the
 * user may be named after the begin: visible_look() of each, then visible_turn(), then
 * visible_put() of each.
 */
struct visible {
	/* The caller's; the rest is all zero at first. visible_free() ends it. */
	const struct asker *asker;
	const struct answer_request *wanted;

	uint64_t rows_out, marks_out;	/* left out by visible_put(), as another's */
	bool again;			/* after visible_turn() */
	struct buf host;
	uint64_t record;
	struct own_run {
		struct buf id;
		int64_t begun, first, last;	/* TIME of records, microseconds */
		enum { NOT_SAID, THE_ASKERS, ANOTHERS } is;
		bool fresh;		/* begun in this record */
		bool over;		/* ends with it, */
		bool past;		/* or was over before it */
		bool shown;		/* .again: it was found to be the asker's, and wanted */
		uint64_t seen, marked;	/* the newest records that name it, and have a mark of it */
	} *open;
	size_t n, cap;
	struct own_known {		/* of the first time */
		struct buf id;
		int64_t begun;
		bool shown;
	} *known;
	size_t n_known, cap_known;
	struct map by_id;
	bool any;			/* some are shown */

	/* The record as it is put. */
	struct raw_copy copy;
	struct buf text;
	struct record_row *row;
	struct record_rows *rows;
	struct mark *mark;
	struct str *job;
	uint64_t *own_value;
	size_t cap_row, cap_rows, cap_mark, cap_job, cap_value;
};

void visible_look(struct visible *o, const struct record_source *from, const struct record *r);
/* Records may be missing here: no run goes on. Both times at the same places. */
void visible_gap(struct visible *o);
/* Before records of another source, which go on with those before. */
void visible_file(struct visible *o);
/* Whether there is any run to be put. */
bool visible_turn(struct visible *o);
/* Adds what of the record is of the asker's runs, if anything is, as a part of a raw file. */
void visible_put(struct visible *o, const struct record_source *from, const struct record *r,
		 struct buf *out);
void visible_free(struct visible *o);
