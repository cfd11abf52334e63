/* SPDX-License-Identifier: BSD-3-Clause */
/* csv.h - write lines of comma-separated values (RFC 4180) */
#pragma once

#include "base/buf.h"

/*
 * Append a field, in quotes if necessary. Control characters, which could command a terminal, and
 * bytes that are not UTF-8 become "?", byte by byte.
 */
void csv_str(struct buf *b, struct str s);
/*
 * Append a field for a spreadsheet. A text that looks like a formula gets a leading "'", because
 * another user may have written it (OWASP, CSV injection).
 */
void csv_cell(struct buf *b, struct str s);
void csv_int(struct buf *b, int64_t v);
/* Append a duration of at least 0 as seconds with six decimals. */
void csv_seconds(struct buf *b, int64_t usec);
/* Append s unquoted; "" is an empty field. */
void csv_raw(struct buf *b, struct str s);
/* Append a field for programs: in quotes if necessary, with all bytes unchanged. */
void csv_exact(struct buf *b, struct str s);

/* End a line that has at least one field. */
void csv_end(struct buf *b);
