/* SPDX-License-Identifier: BSD-3-Clause */
/* wrapped.h - wrap sentences into lines of at most 76 columns */
#pragma once

#include "base/buf.h"

/* Append words separated by single blanks, in lines that start with `indent` blanks. */
void wrapped_put(struct buf *b, int indent, struct str text);
