/* SPDX-License-Identifier: BSD-3-Clause */
/* print.h - a job report for people and for programs */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "figures/report.h"

/* At most 80 columns, every figure that some node has. */
void print_text(FILE *out, const struct report *r, bool colour);

/* What is made of other figures: cycles per instruction, rates and their peaks, power. */
void print_derived(FILE *out, const struct report *r, const char *bold, const char *plain);

/* One JSON object: the same numbers unrounded, and node by node. */
void print_json(FILE *out, const struct report *r);

/* The last part of the text: what is missing from the numbers, or inferred. */
void print_doubts(FILE *out, const struct report *r, const char *bold, const char *plain);
