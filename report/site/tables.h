/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.h - write a site's lists of runs: by user, account, node and week, and the worst */
#pragma once

#include "report/site/site.h"

/* Write all lists of runs, and the data for their search fields. */
void tables_write(struct site *s);
