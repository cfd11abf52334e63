/* SPDX-License-Identifier: BSD-3-Clause */
/* index_text.h - list the jobs of a file, from its index or its records */
#pragma once

#include "base/buf.h"

/*
 * Append the list of a file's jobs, in the form that index_next_job() parses: the file's stored
 * index or, if there is none, a list made from its records. If the list may be incomplete, it
 * begins with a line "wrong WHY"; it then has the jobs of the readable records, or is empty if
 * opening or reading the file failed.
 */
void index_text_put(const char *path, struct buf *out);
