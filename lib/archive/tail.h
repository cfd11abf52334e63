/* SPDX-License-Identifier: BSD-3-Clause */
/* tail.h - find the end of the last whole record group of a file */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/str.h"

/*
 * Find the end of the last whole group. If the file does not end in an incomplete group, *whole is
 * `size`. A group is whole up to its row "nodometer - ..." whose third value is the number of rows
 * of the group (collectors/nodometer.c). If no group has such a row, all groups but the last count
 * as whole. Without a blank line there is no group, and *whole is 0. *last_us gets the TIME of the
 * last whole group, or 0. Returns 0 or -errno; -EFBIG if no end was found in the last 64 MB.
 */
int tail_find_whole(int fd, off_t size, off_t *whole, int64_t *last_us) MUST_CHECK;

/*
 * Returns true if the text is exactly one whole group, from "TIME JOB" to the newline of its last
 * row.
 */
bool tail_group_is_whole(struct str group);
/*
 * Remove the first block, a header or a group, from *rest and return it. The block includes the
 * newline before it, and ends before the blank line of the next block.
 */
struct str tail_take_block(struct str *rest);
/* Returns true if a text that begins with a header or a blank line ends with a whole group. */
bool tail_ends_whole(struct str text);
