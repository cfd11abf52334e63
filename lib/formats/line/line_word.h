/* SPDX-License-Identifier: BSD-3-Clause */
/* line_word.h - write tag names and values of the Influx line protocol */
#pragma once

#include "base/buf.h"

void line_put_word(struct buf *b, struct str word);
/* Append a tag. An empty value appends nothing. */
void line_put_tag(struct buf *b, struct str name, struct str value);
