/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.h - why a path of the archive cannot be used, and what to do */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

/*
 * Adds what strerror(3) has for error, a -errno, or better; and where it is known "; " and what to
 * do. Looks at the folders of path, and for names of users: for commands, not for a loop.
 */
void explain_path(struct buf *b, const char *path, int error, bool writing);
void explain_what_to_do(struct buf *b, const char *path, int error, bool writing);
