/* SPDX-License-Identifier: BSD-3-Clause */
/* print.h - print a job report, for people and for programs */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "figures/findings/findings.h"
#include "figures/report.h"
#include "plot/html.h"
#include "report/advice.h"
#include "report/outliers.h"

#define PRINT_COLUMNS 80	/* width of a page of text */

/* Print the report as text of at most 80 columns, with all figures that any node has. */
void print_text(FILE *out, const struct report *r, const struct advice *advice, bool colour,
		bool verbose);

/* Print a bar for each resource: the used part of the allocation. */
void print_used(FILE *out, const struct report *r, bool colour);
/*
 * Print a bar for each part of the allocated CPU time and, for each node in o, a bar in which each
 * part is drawn with its letter. "bold" and "plain" are printed around headings.
 */
void print_parts(FILE *out, const struct report *r, const struct outliers *o, const char *bold,
		 const char *plain);
void print_findings(FILE *out, const struct report *r, const struct finding_site *site,
		    const char *bold, const char *plain);

/* Print text in indented lines of at most 76 columns. */
void print_wrapped(FILE *out, int indent, struct str text);

/*
 * Print figures that are computed from other figures: cycles per instruction, rates and their
 * peaks, power.
 */
void print_derived(FILE *out, const struct report *r, const char *bold, const char *plain);

/* Print the report as a JSON object: the numbers of print_text() unrounded, also for each node. */
void print_json(FILE *out, const struct report *r, const struct advice *advice);

/*
 * Print, as JSON, the summary that the program jobstats stores for a job. Returns false, and prints
 * nothing, unless the job has ended on at least one node for which all required numbers are known.
 */
bool print_jobstats(FILE *out, const struct report *r);

/* Write a self-contained HTML page, which loads nothing else. */
void print_html(struct buf *b, const struct report *r, const struct advice *advice,
		const struct html_drawing *d, bool verbose);

/*
 * Print the section of a report that lists missing data and inferred values. With "verbose", also
 * list the devices that were left out because other devices count the same data.
 */
void print_doubts(FILE *out, const struct report *r, bool verbose, const char *bold,
		  const char *plain);
