/* SPDX-License-Identifier: BSD-3-Clause */
/* tail.h - where the whole record groups of a file of ours end */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/str.h"

/*
 * *whole is the size of the file without a torn group at its end: size itself where nothing is
 * torn, 0 where there is no blank line, hence no group. A group is whole if its last row is
 * "nodometer - ..." whose third value is the number of rows of the group (collectors/nodometer.c).
 * Zeros after it are torn off. *last_us is the TIME of the last group, 0 where that is torn.
 * 0 or -errno, -EFBIG: no blank line in the last 64 MB.
 */
int tail_find_whole(int fd, off_t size, off_t *whole, int64_t *last_us) MUST_CHECK;

/* Whether this is a whole group, from its "TIME JOB" line to the newline of its last row. */
bool tail_group_is_whole(struct str group);
/* Whether a text that begins with a header or a blank line ends with a whole group. */
bool tail_ends_whole(struct str text);
