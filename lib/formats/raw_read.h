/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_read.h - read raw files of hpcperfstats, tacc_stats and nodometer */
#pragma once

#include "formats/format.h"

/*
 * Only complete records are returned. In a file of nodometer ("$agent nodometer" in the header), a
 * record is complete if the key "rows" of its last row, type nodometer, equals the number of rows.
 * In other files, it is complete if text follows it, or if its last line is a valid row.
 */
extern const struct record_format raw_read_format;

/* Read a raw file; see open() in struct record_format. */
struct record_source raw_records(const struct byte_source *from,
				 const struct record_listener *listener);
