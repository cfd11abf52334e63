/* SPDX-License-Identifier: BSD-3-Clause */
/* lines_feed.h - send the lines of a file that grows and is rotated, instead of records */
#pragma once

struct feed;

/*
 * Send lines, starting at the feed's cursor, whose .epoch is the inode of the file of lines. All
 * rotated files that were not sent are read first, the oldest first, including compressed files. A
 * truncated file is read from its start, after the copy that the rotation made was read to its end.
 * Runs until *stop is set, or for feed_count() to the present end of the file. Returns 0 or -EINTR.
 */
int lines_feed(struct feed *f);
