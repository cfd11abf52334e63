/* SPDX-License-Identifier: BSD-3-Clause */
/* heard.h - a log listener that keeps the last line and counts warnings and notices */
#pragma once

#include <string.h>
#include "base/listener.h"
#include "base/str.h"
#include "tests/unit/test.h"

struct heard {
	unsigned warnings, notices;
	char last[256];
};

static inline void hear_line(void *arg, enum log_level level, const char *line)
{
	struct heard *h = arg;
	h->warnings += level == LOG_LEVEL_WARNING;
	h->notices += level == LOG_LEVEL_NOTICE;
	str_copy(h->last, sizeof(h->last), str_of(line));
}

/*
 * Check how many warnings and notices were logged so far, and that the last message contains text.
 */
static inline void assert_lines(const struct heard *h, unsigned warnings, unsigned notices,
				const char *text)
{
	if (h->warnings != warnings || h->notices != notices || !strstr(h->last, text))
		fail_msg("%u warnings, %u notices, not %u and %u, or no \"%s\" in \"%s\"",
			 h->warnings, h->notices, warnings, notices, text, h->last);
}
