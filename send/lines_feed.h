/* SPDX-License-Identifier: BSD-3-Clause */
/* lines_feed.h - lines of a file that grows and is rotated, in place of records of the archive */
#pragma once

struct feed;

/*
 * From the cursor on, whose "file" is then the file's inode: a file that was renamed is read to its
 * end first, one that was cut to nothing from its begin. Until *stop is set, or as feed_count()
 * wants it to where the file ends now. 0 or -EINTR.
 */
int lines_feed(struct feed *f);
