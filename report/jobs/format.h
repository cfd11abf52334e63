/* SPDX-License-Identifier: BSD-3-Clause */
/* format.h - print a table of jobs with chosen columns, named as in sacct and reportseff */
#pragma once

#include "report/jobs/listing.h"

#define FORMAT_MAX 32	/* limit of the columns of a table */
#define FORMAT_DEFAULT "JobID,State,Elapsed,TimeEff,CPUEff,MemEff,GPUEff"

/* The chosen columns, as indexes into columns[] of format.c. All zero is a valid empty choice. */
struct format {
	unsigned char column[FORMAT_MAX];
	size_t n;
	bool with_used;		/* at least one column is computed from records */
};

/*
 * Parse the names of columns, separated by commas; case is ignored. A leading "+" adds the columns
 * to FORMAT_DEFAULT; NULL means FORMAT_DEFAULT. Returns false, with the reason in why, if a name is
 * unknown, or the number of columns is 0 or exceeds FORMAT_MAX.
 */
bool format_take(struct format *f, const char *names, struct buf *why) MUST_CHECK;

/*
 * Find the resource whose efficiency a column such as "CPUEff" shows. Returns false if no
 * efficiency has a column of this name.
 */
bool format_find_efficiency(const char *name, enum used_what *ret);

/*
 * Print a line of titles, then the first `most` jobs of the list. With `colour`, print escape
 * sequences that colour the states and efficiencies.
 */
void format_put(struct buf *b, const struct format *f, struct listing *of, size_t most,
		bool colour);
