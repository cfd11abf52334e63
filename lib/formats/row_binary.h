/* SPDX-License-Identifier: BSD-3-Clause */
/* row_binary.h - parse rows of ClickHouse's format RowBinary */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/str.h"

#define ROW_BINARY_COLUMNS 8
#define ROW_BINARY_MAX     (32u << 20)	/* limit of the bytes of a row */

struct row_value {
	struct str text;	/* for type String */
	int64_t number;		/* for types Int64 and UInt8 */
};

/*
 * Take one row off *in. A letter gives the type of each column: s String, i Int64, b UInt8. Returns
 * 1 and the values, whose texts borrow from *in; 0 if the row is incomplete (*in is unchanged); or
 * -EBADMSG.
 */
int row_binary_take(struct str *in, const char *columns,
		    struct row_value ret[ROW_BINARY_COLUMNS]) MUST_CHECK;
