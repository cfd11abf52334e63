/* SPDX-License-Identifier: BSD-3-Clause */
/* convert.h - write records as a MONITOR recording, and explain why others are not converted */
#pragma once

#include <stddef.h>

/*
 * Run nodometer monitor, which writes the records of the files to a recording. Returns only on
 * failure, after a message.
 */
void convert_to_monitor(const char *output, char *const *file, size_t n);

/* Say so if the file, open at fd, is output of nodometer cat, which cannot be read back. */
void convert_explain(const char *file, int fd);
