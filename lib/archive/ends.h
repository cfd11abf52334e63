/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.h - read both ends of a file of records: its first header and its last record groups */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/*
 * Store in text the first header of a raw file, a blank line and the last records, about `tail`
 * bytes. If the last record is larger than `tail`, no record is stored: call this again with a
 * larger `tail`. Reads only these parts, but a file that another program compressed is read from
 * start to end. Returns 0 or -errno; -EBADMSG if no header ends in the first MB.
 */
int ends_read(const char *path, size_t tail, struct buf *text) MUST_CHECK;
