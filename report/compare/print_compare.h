/* SPDX-License-Identifier: BSD-3-Clause */
/* print_compare.h - print two sets of runs side by side, for people and for programs */
#pragma once

#include "report/compare/sides.h"

void compare_put_text(struct buf *b, const struct side side[2], bool colour);
void compare_put_json(struct buf *b, const struct side side[2]);
