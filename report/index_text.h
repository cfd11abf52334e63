/* SPDX-License-Identifier: BSD-3-Clause */
/* index_text.h - list the jobs of a file, from its index or its records */
#pragma once

#include "base/buf.h"

/*
 * Append the list of a file's jobs, in the form that index_next_job() parses: the file's index, or
 * a list made from its records. If some records cannot be read, the first line is "wrong WHY".
 */
void index_text_put(const char *path, struct buf *out);
