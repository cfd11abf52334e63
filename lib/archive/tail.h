/* SPDX-License-Identifier: BSD-3-Clause */
/* tail.h - find the end of the last whole record group of a file */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/str.h"

/*
 * Find the end of the last whole record. If the file does not end in an incomplete record, *whole
 * is `size`. A record is whole up to its row "nodometer - ..." whose third value is the number of
 * rows of the record (collectors/nodometer.c). If no record has such a row, all records but the
 * last count as whole. Without a blank line there is no record, and *whole is 0. *last_us gets the
 * TIME of the last whole record, or 0. Returns 0 or -errno; -EFBIG if no end was found in the last
 * 64 MB.
 */
int tail_find_whole(int fd, off_t size, off_t *whole, int64_t *last_us) MUST_CHECK;

/*
 * Returns true if the text is exactly one whole record, from "TIME JOB" to the newline of its last
 * row.
 */
bool tail_group_is_whole(struct str group);
/*
 * Remove the first block, a header or a record, from *rest and return it. The block includes the
 * newline before it, and ends before the blank line of the next block.
 */
struct str tail_take_block(struct str *rest);
/* Returns true if a text that begins with a header or a blank line ends with a whole record. */
bool tail_ends_whole(struct str text);
