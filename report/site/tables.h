/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.h - pages of a site that list runs: of users, accounts, nodes, weeks, and the worst */
#pragma once

#include "report/site/site.h"

/* Writes all of them, and what their search finds runs by. */
void tables_write(struct site *s);
