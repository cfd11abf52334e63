/* SPDX-License-Identifier: BSD-3-Clause */
/* line_word.h - write tag names and values of the Influx line protocol */
#pragma once

#include "base/buf.h"

void line_put_word(struct buf *b, struct str word);
/* Append a tag, or nothing if the value is empty: the protocol has no empty tags. */
void line_put_tag(struct buf *b, struct str name, struct str value);
