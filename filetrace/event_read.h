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
 * field may contain newlines. Returns 0; -EBADMSG if it is invalid, longer than EVENT_BYTES_MAX, or
 * the last and without a newline (it is removed). If the record is incomplete and `last` is false,
 * returns -EAGAIN, or -EMSGSIZE if it already exceeds EVENT_BYTES_MAX (nothing is removed).
 */
int event_parse(struct str *in, bool last, struct event_line *l) MUST_CHECK;

#define EVENT_BYTES_MAX (128 << 10)	/* room for paths of PATH_MAX, quoted, escaped and as hex */
