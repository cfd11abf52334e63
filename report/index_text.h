/* SPDX-License-Identifier: BSD-3-Clause */
/* index_text.h - which jobs are in a file, from its index or from its records */
#pragma once

#include "base/buf.h"

/*
 * Adds the text of the index, for index_next_job(). Where there is none and some of the records
 * cannot be read, a line "wrong WHY" precedes it, and it is of the others.
 */
void index_text_put(const char *path, struct buf *out);
