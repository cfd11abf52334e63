/* SPDX-License-Identifier: BSD-3-Clause */
/* convert.h - write records as a recording of OpenVMS MONITOR; explain why a file is unreadable */
#pragma once

#include <stddef.h>

/*
 * Run nodometer monitor to write the records of the files to a recording. Returns only on failure,
 * after a message.
 */
void convert_to_monitor(const char *output, char *const *file, size_t n);

/* If the file, open at fd, is output of nodometer cat, explain that nodometer cannot read it. */
void convert_explain(const char *file, int fd);
