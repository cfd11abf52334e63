/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_read.h - read raw files of hpcperfstats, tacc_stats and nodometer */
#pragma once

#include "formats/format.h"

/*
 * Only complete records are returned. After a header with "$agent nodometer", up to the end of the
 * file, a record is complete if its last row has type nodometer and device "-", the key "rows" of
 * this row equals the record's number of rows, and a blank line, a header or the end of the file
 * follows. In other files, a record is complete if anything follows it, or if the file ends with a
 * valid row and its newline.
 */
extern const struct record_format raw_read_format;

/* Read a raw file; see open() in struct record_format. */
struct record_source raw_records(const struct byte_source *from,
				 const struct record_listener *listener);
