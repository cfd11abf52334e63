/* SPDX-License-Identifier: BSD-3-Clause */
/* convert.h - write records as a MONITOR recording, and explain why a file cannot be read */
#pragma once

#include <stddef.h>

/*
 * Run nodometer monitor, which writes the records of the files to a recording. Returns only on
 * failure, after a message.
 */
void convert_to_monitor(const char *output, char *const *file, size_t n);

/*
 * Print an explanation if the file, open at fd, is output of nodometer cat, which nodometer cannot
 * read.
 */
void convert_explain(const char *file, int fd);
