/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_read.h - reads hpcperfstats raw files of every public dialect, record by record */
#pragma once

#include "formats/format.h"

/*
 * When is a record whole? In a file whose header has "$agent nodometer" its last row, of type
 * nodometer and device "-", says in key "rows" how many there are, and a blank line, a header
 * or the end of the file follows; this holds from that header on to the end of the file. In any
 * other file: if something follows it, or if the file ends in the newline of a good row.
 */
extern const struct record_format raw_read_format;

/* As raw_read_format.open(). */
struct record_source raw_records(const struct byte_source *from,
				 const struct record_listener *listener);
