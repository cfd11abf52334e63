/* SPDX-License-Identifier: BSD-3-Clause */
/* row_binary.h - rows of ClickHouse's format RowBinary are taken off the front of what came */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/str.h"

#define ROW_BINARY_COLUMNS 8
#define ROW_BINARY_MAX     (32u << 20)	/* bytes of a row */

struct row_value {
	struct str text;	/* String */
	int64_t number;		/* Int64, UInt8 */
};

/*
 * A row of these columns: s String, i Int64, b UInt8. 1: it is taken, and its texts borrow from
 * *in; 0: there is only a part of it, and *in stays; -EBADMSG: it is none.
 */
int row_binary_take(struct str *in, const char *columns,
		    struct row_value ret[ROW_BINARY_COLUMNS]) MUST_CHECK;
