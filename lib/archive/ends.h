/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.h - read both ends of a file of records: its first header and its last record groups */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/*
 * Put the header of a raw file, a blank line and about `tail` bytes of its last records into text.
 * The records are missing if the last one is larger than `tail`: call this again with a larger
 * `tail`. Reads only these parts, but a file that another program compressed is read from start to
 * end. Returns 0 or -errno; -EBADMSG if no header ends in the first MB.
 */
int ends_read(const char *path, size_t tail, struct buf *text) MUST_CHECK;
