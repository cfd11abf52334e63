/* SPDX-License-Identifier: BSD-3-Clause */
/* intervals.h - print what a host did in each interval, as sar(1) does */
#pragma once

#include <stdio.h>
#include "report/search.h"

/*
 * Print a line for each interval between two successive samples of the host that q selects, then
 * the means over all intervals. If there are more than INTERVALS_MAX intervals, join them: print a
 * line per minute, ten minutes, hour or day. Calls search_free() for q. Returns false, after
 * logging why, if the archive cannot be read or the host has fewer than two samples.
 */
#define INTERVALS_MAX 150
bool intervals_print(FILE *out, struct search *q);
