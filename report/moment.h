/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.h - report on a host at one moment: the two samples around it, the jobs on the host */
#pragma once

#include "report/search.h"

/*
 * Report on the interval between the samples before and after the moment, with the jobs on the
 * host; at is in microseconds. Sets the time range of q to the interval. Returns false, after
 * logging why, if a sample is missing or there are several hosts. Call moment_free() in both cases,
 * to free the jobs.
 */
bool moment_report(struct search *q, int64_t at, struct report *r);
void moment_free(struct report *r);
