/* SPDX-License-Identifier: BSD-3-Clause */
/* wrapped.h - wrap sentences into lines of at most 76 columns */
#pragma once

#include "base/buf.h"

/*
 * Append words separated by single blanks. Each line starts with `indent` blanks and ends with a
 * newline.
 */
void wrapped_put(struct buf *b, int indent, struct str text);
