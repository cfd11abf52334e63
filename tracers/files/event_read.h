/* SPDX-License-Identifier: BSD-3-Clause */
/* event_read.h - lines of CSV or JSON as events again */
#pragma once

#include "tracers/files/event.h"

/* All zero is a valid empty one. Texts of .e are in .text, until the next line is taken. */
struct event_line {
	struct event e;
	bool has_result;
	struct buf text;
};

void event_line_free(struct event_line *l);

/*
 * Takes the record at the front of *in, CSV or JSON, with its newline, which may stand in quotes
 * too. 0; -EAGAIN: its end is not there yet, unless `last` says that nothing follows; -EBADMSG: it
 * is none, and is taken; -EMSGSIZE: it is longer than any.
 */
int event_take(struct str *in, bool last, struct event_line *l) MUST_CHECK;

#define EVENT_BYTES_MAX (128 << 10)	/* paths of PATH_MAX in quotes, escaped and as hex */
