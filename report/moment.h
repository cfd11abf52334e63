/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.h - report on a host at one moment: the two samples around it, the jobs on the host */
#pragma once

#include "report/search.h"

/*
 * Report on the interval between the last sample before the moment "at" (microseconds since the
 * epoch) and the first sample after it, with the jobs on the host. Sets the time range of q to the
 * interval. Returns false, after logging why, if one of the two samples is missing or q selects
 * several hosts. Call moment_free() in both cases, to free the list of jobs.
 */
bool moment_report(struct search *q, int64_t at, struct report *r);
void moment_free(struct report *r);
