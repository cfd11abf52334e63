/* SPDX-License-Identifier: BSD-3-Clause */
/* csv.h - write lines of comma-separated values (RFC 4180) */
#pragma once

#include "base/buf.h"

/*
 * Append a field, quoted only if necessary. "?" replaces each byte of a control character, which
 * could command a terminal, and each byte that is not UTF-8.
 */
void csv_str(struct buf *b, struct str s);
/*
 * Append a field of a file that people open in a spreadsheet. Text that a spreadsheet would take
 * for a formula gets a leading "'", because its author may be another user (OWASP, CSV injection).
 */
void csv_cell(struct buf *b, struct str s);
void csv_int(struct buf *b, int64_t v);
/* Append a duration, which is not negative, as seconds with six decimals. */
void csv_seconds(struct buf *b, int64_t usec);
/* Append s unquoted; "" is an empty field. */
void csv_raw(struct buf *b, struct str s);
/* Append a field for programs: its bytes are unchanged, and quoted only if necessary. */
void csv_exact(struct buf *b, struct str s);

/* End a line that has at least one field. */
void csv_end(struct buf *b);
