/* SPDX-License-Identifier: BSD-3-Clause */
/* visible.h - select the records of one host that a user may see: records of the user's runs */
#pragma once

#include <sys/types.h>
#include "base/map.h"
#include "formats/answer.h"
#include "formats/raw_copy.h"

/* The user who asks, identified by the kernel. */
struct asker {
	uid_t uid;
	struct str user;	/* login name, without escapes; empty: unknown */
	bool all;		/* may see all runs */
};

/*
 * The runs of a host, read in two passes.
 *
 * A run lasts from a begin mark of its id to the end mark, or to the last consecutive record that
 * names the id. A run belongs to the asker if its marks name the asker by uid=, user= or both, and
 * name nobody else; a run whose marks name no user belongs to nobody. If a hook wrote the end mark
 * late, the mark states the earlier time of the end (at=): the run ended at that time, and records
 * between that time and the mark may use the id for another user's run.
 *
 * The records are read twice, because a mark after the begin of a run may name its user: call
 * visible_look() for each record, then visible_turn(), then visible_put() for each record. The
 * second pass recognizes a run by the place of its begin, because several runs may have the same id
 * and time.
 */
struct visible {
	/*
	 * The caller sets .asker and .wanted, and all other members to zero. visible_free() frees
	 * the other members.
	 */
	const struct asker *asker;
	const struct answer_request *wanted;

	/* numbers of rows and marks of other users that visible_put() has left out */
	uint64_t rows_out, marks_out;
	/* the records are being read for the second time: visible_turn() was called */
	bool second_pass;
	struct buf host;
	/* number of the current record, counted over all files of the host in the current pass */
	uint64_t record;
	int64_t usec;			/* time of the current record */
	struct run_place {
		/* .file: number of the file; .record: number of the record in the file */
		uint64_t file, record;
		/* number of the run among the runs that begin in the record */
		uint64_t nth;
	} place;			/* where the next run to be found begins */
	struct visible_run {
		struct buf id;
		struct run_place place;
		/*
		 * in microseconds; .begun: time of the begin mark, INT64_MIN if there was none;
		 * .first, .last: times of the first and last record of the run
		 */
		int64_t begun, first, last;
		/* end time of the run if a hook wrote the end mark late; otherwise INT64_MAX */
		int64_t until;
		enum owner { OWNER_UNKNOWN, OWNER_ASKER, OWNER_OTHER } owner;
		bool begins_here;		/* the run begins in the current record */
		bool ends_here;		/* the run ends with the current record */
		bool was_over;		/* the run was over before the current record */
		/* second pass: the run is one of the asker's runs that were requested */
		bool shown;
		/*
		 * .seen: number of the newest record that names the run; .marked: number of the
		 * newest record that has a mark of the run
		 */
		uint64_t seen, marked;
	} *open;
	size_t n, cap;
	struct known_run {		/* runs found in the first pass */
		struct buf id;
		struct run_place place;
		int64_t begun, until;
		bool shown;
	} *known;
	size_t n_known, cap_known;
	struct map by_id;
	bool any;			/* at least one run in the files is shown */

	struct raw_copy copy;	/* copies the shown parts of the current record to the answer */
	struct buf text;
	struct record_row *row;
	struct record_rows *rows;
	struct mark *mark;
	size_t *run_of;			/* for each mark: 1 + index of its run in .open, or 0 */
	struct str *job;
	uint64_t *own_value;
	size_t cap_row, cap_rows, cap_mark, cap_run_of, cap_job, cap_value;
};

void visible_look(struct visible *o, const struct record_source *from, const struct record *r);
/*
 * Close all open runs, because records may be missing before the next record. Call this before the
 * same records in both passes.
 */
void visible_gap(struct visible *o);
/*
 * Set the number of the file that the following records come from. Runs that are open at the end of
 * a file continue in the next one.
 */
void visible_file(struct visible *o, uint64_t number);
/* Start the second pass. Returns true if at least one run is shown. */
bool visible_turn(struct visible *o);
/*
 * Append the parts of the record that belong to the requested runs of the asker, if any, in the
 * format of a raw file.
 */
void visible_put(struct visible *o, const struct record_source *from, const struct record *r,
		 struct buf *out);
void visible_free(struct visible *o);
