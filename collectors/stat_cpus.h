/* SPDX-License-Identifier: BSD-3-Clause */
/* stat_cpus.h - collect the lines of CPUs in /proc/stat */
#pragma once

#include "collectors/source.h"

/*
 * Add a row for each CPU, without the first `skip` columns of its line. Returns 0 or -errno;
 * -ENOENT, with s->why set to the text `absent`, if the lines have too few columns.
 */
int stat_cpus(struct source *s, size_t skip, const char *absent);
