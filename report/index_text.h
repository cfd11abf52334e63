/* SPDX-License-Identifier: BSD-3-Clause */
/* index_text.h - list the jobs of a file, from its index or its records */
#pragma once

#include "base/buf.h"

/*
 * Append the list of a file's jobs, in the form that index_next_job() parses: the file's index, or
 * a list made from its records. If the list lacks records, a line "wrong WHY" comes first. The list
 * then has the jobs of the readable records, or is empty if opening or reading the file failed.
 */
void index_text_put(const char *path, struct buf *out);
