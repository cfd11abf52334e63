/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.h - explain why a path of the archive cannot be used, and what to do */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

/*
 * Append the text of `error`, a -errno, or a more helpful text. If a remedy is known, append "; "
 * and what to do. This examines the folders of the path and looks up user names, so do not use it
 * in loops.
 */
void explain_path(struct buf *b, const char *path, int error, bool writing);
void explain_what_to_do(struct buf *b, const char *path, int error, bool writing);
