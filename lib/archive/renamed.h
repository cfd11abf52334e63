/* SPDX-License-Identifier: BSD-3-Clause */
/* renamed.h - join the files of a node that was renamed while a job ran */
#pragma once

#include <stddef.h>
#include "archive/input.h"

/*
 * Set .host of all files of a renamed node to the node's newest name, and sort the list again. The
 * list must be sorted. If *host is an old name, it is set to the newest name, too, which the list
 * owns; *host may be NULL. Does nothing for a URL, because each file would have to be fetched.
 */
void archive_join_renamed(struct archive_file *file, size_t n, const char **host);
