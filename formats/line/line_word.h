/* SPDX-License-Identifier: BSD-3-Clause */
/* line_word.h - names and values of tags in the Influx line protocol */
#pragma once

#include "base/buf.h"

void line_put_word(struct buf *b, struct str word);
