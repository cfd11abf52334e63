/* SPDX-License-Identifier: BSD-3-Clause */
/* renamed.h - join the files of a node that was renamed while a job ran */
#pragma once

#include <stddef.h>
#include "archive/input.h"

/*
 * Give all files of a renamed node the newest hostname, and sort the list again. If *host is the
 * full old name of such a node, it is replaced. Files of a URL are left as they are, since each of
 * them would have to be fetched.
 */
void archive_join_renamed(struct archive_file *file, size_t n, const char **host);
