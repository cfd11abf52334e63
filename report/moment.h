/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.h - report on a host at one moment: the samples before and after it, and the jobs there */
#pragma once

#include "report/search.h"

/*
 * Report on the interval between the samples before and after the moment. Also fills in the jobs
 * that were on the host; call moment_free() to free them. Returns false, after logging why, if one
 * of the two samples is missing.
 */
bool moment_report(struct search *q, int64_t at, struct report *r);
void moment_free(struct report *r);
