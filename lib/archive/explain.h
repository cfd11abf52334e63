/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.h - explain why a path of the archive cannot be used, and what to do */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

/*
 * Append an explanation of `error`, a -errno, and "; " with a remedy if one is known. Slow, because
 * it examines folders and looks up user names.
 */
void explain_path(struct buf *b, const char *path, int error, bool writing);
/* Append only "; " and the remedy, if one is known. */
void explain_what_to_do(struct buf *b, const char *path, int error, bool writing);
