/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.h - both ends of a file of records: its first header, and its last record groups */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/*
 * text is the header of a raw file, an empty line, and groups as the file ends: about as many bytes
 * of them as tail says, or all there are. Nothing else is read of a plain file, nor decompressed of
 * one of ours (archive/index.h, "last"); other compressed ones are read through. 0 or -errno:
 * -EBADMSG where no header ends in the first MB.
 */
int ends_read(const char *path, size_t tail, struct buf *text) MUST_CHECK;
