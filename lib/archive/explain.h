/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.h - explain why a path of the archive cannot be used, and what to do */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

/*
 * Append strerror(3) of `error`, a -errno, or a better text and, if known, "; " and what to do.
 * Examines the folders of the path and looks up user names, so use it in commands, not in loops.
 */
void explain_path(struct buf *b, const char *path, int error, bool writing);
void explain_what_to_do(struct buf *b, const char *path, int error, bool writing);
