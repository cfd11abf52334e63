/* SPDX-License-Identifier: BSD-3-Clause */
/* print.h - a job report for people and for programs */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "figures/findings.h"
#include "figures/report.h"
#include "plot/html.h"
#include "report/advice.h"

/* At most 80 columns, every figure that some node has. */
void print_text(FILE *out, const struct report *r, const struct advice *advice, bool colour,
		bool verbose);

/* The top of a report: bars of use, of what the job was given, then findings with advice. */
void print_used(FILE *out, const struct report *r, bool colour);
/* A bar for each part of the CPU time that it was given, and one of letters for each node. */
void print_parts(FILE *out, const struct report *r, const char *bold, const char *plain);
void print_findings(FILE *out, const struct report *r, const struct finding_site *site,
		    const char *bold, const char *plain);

/* Words in lines of at most 76 columns, all of them indented. */
void print_wrapped(FILE *out, int indent, struct str text);

/* Figures made of others: cycles per instruction, rates and their peaks, power. */
void print_derived(FILE *out, const struct report *r, const char *bold, const char *plain);

/* A JSON object: the same numbers unrounded, and node by node. */
void print_json(FILE *out, const struct report *r, const struct advice *advice);

/* The JSON that jobstats makes of a job. False: no node that it has left has all of it. */
bool print_jobstats(FILE *out, const struct report *r);

/* A page for a browser that needs no other file and makes no request. */
void print_html(struct buf *b, const struct report *r, const struct advice *advice,
		const struct drawing *d, bool verbose);

/*
 * The last part of the text: what is missing from the numbers, or inferred; if verbose, too, what
 * was left out since others count the same.
 */
void print_doubts(FILE *out, const struct report *r, bool verbose, const char *bold,
		  const char *plain);
