/* SPDX-License-Identifier: BSD-3-Clause */
/* encode.h - print records in the encodings that other systems import */
#pragma once

#include "data/reading.h"
#include "formats/line/line.h"
#include "formats/line/rates.h"

/*
 * State of printing records in an encoding. Initialise with zeros, then set the members up to
 * .progress.
 */
struct encode {
	const struct line_encoder *to;
	struct line_label label[LINE_LABELS_MAX];
	size_t n_labels;
	bool (*wants)(void *arg, struct str type);	/* returns whether to print a type */
	void *arg;
	size_t n_files;		/* number of files to read, to show the progress */
	bool progress;		/* show the progress on standard error */

	size_t done;
	int64_t shown_ns;
	uint64_t n;		/* number of records so far */
	/*
	 * counters of the current host, continued beyond wraps (schema/unfold.h); the files of a
	 * host come one after another
	 */
	struct unfold *unfold;
	struct buf host, head;
	struct rates rates;	/* rates of the current host */
	struct line_whole whole;
};

/* Begin the next file. */
void encode_begin_file(struct encode *e);
/*
 * Take a record and, if wanted, append it to `out`. Call this for every record, because the values
 * of counters in later records may depend on it.
 */
void encode_put(struct encode *e, const struct record_source *from, const struct record *r,
		bool wanted, struct buf *out);
void encode_end_file(struct encode *e);
/* End the line that shows the progress. Callback for .before of struct reading. */
void encode_pause_progress(void *encode);
void encode_free(struct encode *e);
