/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.h - the samples around a moment on a host, and which jobs were there */
#pragma once

#include "report/search.h"

/*
 * Asks for the two samples around the moment and fills the report with them; false, and said why.
 * Jobs that were there then are the report's until moment_free().
 */
bool moment_report(struct search *q, int64_t at, struct report *r);
void moment_free(struct report *r);
