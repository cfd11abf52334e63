/* SPDX-License-Identifier: BSD-3-Clause */
/* mark_line.h - copy the line of a mark without the request id that this process added to it */
#pragma once

#include <stdio.h>
#include <unistd.h>
#include "base/buf.h"
#include "schema/marks.h"

static inline void put_mark_line(struct buf *to, struct str line)
{
	char own[32];
	struct str word;
	bool first = true;
	snprintf(own, sizeof(own), ".%d", (int)getpid());
	while (str_take_word(&line, &word))
		if (!str_starts(word, STR(MARK_REQUEST_KEY)) || !str_ends(word, str_of(own))) {
			buf_addf(to, "%s" STR_FMT, first ? "" : " ", STR_ARG(word));
			first = false;
		}
}
