/* SPDX-License-Identifier: BSD-3-Clause */
/* csv.h - lines of values with commas between them (RFC 4180) */
#pragma once

#include "base/buf.h"

/*
 * The next field. In quotes only where it must be; "?" stands for each byte of a control character,
 * which could command a terminal, and for what is no UTF-8.
 */
void csv_str(struct buf *b, struct str s);
/*
 * The same as csv_str(), for files that people open in a spreadsheet: a "'" stands before text that
 * it would take for a formula, whose author may be another user (OWASP, CSV injection).
 */
void csv_cell(struct buf *b, struct str s);
void csv_int(struct buf *b, int64_t v);
void csv_seconds(struct buf *b, int64_t usec);	/* 0 or more, with six decimals */
void csv_raw(struct buf *b, struct str s);	/* as it is; "": an empty field */
/* The bytes as they are, for programs, not terminals, in quotes where a reader needs them. */
void csv_exact(struct buf *b, struct str s);

void csv_end(struct buf *b);			/* of a line with at least one field */
