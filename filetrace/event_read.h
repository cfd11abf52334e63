/* SPDX-License-Identifier: BSD-3-Clause */
/* event_read.h - parse lines of CSV or JSON into events */
#pragma once

#include "filetrace/event.h"

/*
 * A parsed line. All zero is a valid empty value. The texts of .e point into .text and are valid
 * until the next line is parsed.
 */
struct event_line {
	struct event e;
	bool has_result;
	struct buf text;
};

void event_line_free(struct event_line *l);

/*
 * Parse the record at the front of *in, CSV or JSON, and remove it with its newline. A quoted CSV
 * field may contain newlines. `last` means that no input follows *in. Returns 0, or -EBADMSG if the
 * record is invalid, longer than EVENT_BYTES_MAX, or at the end without a newline. If the record is
 * incomplete and `last` is false, nothing is removed: returns -EAGAIN, or -EMSGSIZE if *in already
 * exceeds EVENT_BYTES_MAX.
 */
int event_parse(struct str *in, bool last, struct event_line *l) MUST_CHECK;

/* limit of one record, in bytes: room for paths of PATH_MAX bytes, quoted, escaped and in hex */
#define EVENT_BYTES_MAX (128 << 10)
