/* SPDX-License-Identifier: BSD-3-Clause */
/* line_word.h - names and values of tags in the Influx line protocol */
#pragma once

#include "base/buf.h"

void line_put_word(struct buf *b, struct str word);
void line_put_tag(struct buf *b, struct str name, struct str value);	/* no tag may be empty */
