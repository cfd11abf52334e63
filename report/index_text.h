/* SPDX-License-Identifier: BSD-3-Clause */
/* index_text.h - list the jobs of a file, from its index or its records */
#pragma once

#include "base/buf.h"

/*
 * Append a file's index text, which index_next_job() parses. If the file has no index, make the
 * text from the records. If some records cannot be read, a line "wrong WHY" comes first and the
 * text covers the readable records.
 */
void index_text_put(const char *path, struct buf *out);
