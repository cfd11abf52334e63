/* SPDX-License-Identifier: BSD-3-Clause */
/* type_json.h - what is known of types and keys, as members of a JSON object */
#pragma once

#include "schema/type.h"

void type_put_json(struct buf *b, const struct type *t);	/* summary, device, source */

/* bits 0 is 64; help NULL: not known, and left out. */
void key_put_json(struct buf *b, const char *name, enum metric_kind kind, const char *unit,
		  unsigned bits, const char *help);
