/* SPDX-License-Identifier: BSD-3-Clause */
/* tail.h - where the whole record groups of a file of ours end */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/str.h"

/*
 * *whole is where the last whole group of the file ends, whatever follows it: size itself where
 * nothing is torn. A group is whole up to its row "nodometer - ..." whose third value is the number
 * of rows of the group (collectors/nodometer.c). Where there is no such group it is the end of all
 * but the last one, and 0 where there is no blank line, hence no group. *last_us is the TIME of the
 * last whole group, 0 where there is none. 0 or -errno, -EFBIG: not found in the last 64 MB.
 */
int tail_find_whole(int fd, off_t size, off_t *whole, int64_t *last_us) MUST_CHECK;

/* Whether this is a whole group, from its "TIME JOB" line to the newline of its last row. */
bool tail_group_is_whole(struct str group);
/* Whether a text that begins with a header or a blank line ends with a whole group. */
bool tail_ends_whole(struct str text);
