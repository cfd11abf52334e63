/* SPDX-License-Identifier: BSD-3-Clause */
/* stat_cpus.h - the lines of CPUs in /proc/stat */
#pragma once

#include "collectors/source.h"

/*
 * A row for each CPU, of the columns after the first skip ones. 0, or -errno: -ENOENT, and absent
 * says why, where no line has such columns.
 */
int stat_cpus(struct source *s, size_t skip, const char *absent);
