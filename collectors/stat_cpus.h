/* SPDX-License-Identifier: BSD-3-Clause */
/* stat_cpus.h - collect the lines of CPUs in /proc/stat */
#pragma once

#include "collectors/source.h"

/*
 * Add a row for each CPU, with the columns of its line after the first `skip`. Returns 0 or -errno;
 * -ENOENT, with s->why set to absent, if no line has enough columns.
 */
int stat_cpus(struct source *s, size_t skip, const char *absent);
