/* SPDX-License-Identifier: BSD-3-Clause */
/* index_text.h - list the jobs of a file, from its index or its records */
#pragma once

#include "base/buf.h"

/*
 * Append the list of an archive file's jobs, in the form that index_next_job() parses: the file's
 * stored index or, if there is none, a list made from the file's records. If the list may be
 * incomplete, put a line "wrong WHY" first. Below this line are the jobs of the readable records,
 * or nothing if opening or reading the file failed.
 */
void index_text_put(const char *path, struct buf *out);
