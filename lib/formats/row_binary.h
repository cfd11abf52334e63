/* SPDX-License-Identifier: BSD-3-Clause */
/* row_binary.h - parse rows of ClickHouse's format RowBinary */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/str.h"

#define ROW_BINARY_COLUMNS 8
#define ROW_BINARY_MAX     (32u << 20)	/* largest size of a row, in bytes */

struct row_value {
	struct str text;	/* for type String */
	int64_t number;		/* for types Int64 and UInt8 */
};

/*
 * Take a row off *in. The letters in `columns` are the types: s String, i Int64, b UInt8. Returns
 * 1; 0 if the row is incomplete, with *in unchanged; or -EBADMSG. Strings borrow from *in.
 */
int row_binary_take(struct str *in, const char *columns,
		    struct row_value ret[ROW_BINARY_COLUMNS]) MUST_CHECK;
