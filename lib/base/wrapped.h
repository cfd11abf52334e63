/* SPDX-License-Identifier: BSD-3-Clause */
/* wrapped.h - sentences in lines of at most 76 columns */
#pragma once

#include "base/buf.h"

/* Words with a blank between them; each line begins with so many blanks, and ends in a newline. */
void wrapped_put(struct buf *b, int indent, struct str text);
