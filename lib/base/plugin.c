/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.c - output of a monitoring plugin */
#include "base/plugin.h"

void plugin_put_head(struct buf *b, int status)
{
	static const char *const words[] = {
		[STATUS_OK] = "OK", [STATUS_WARNING] = "WARNING", [STATUS_CRITICAL] = "CRITICAL",
		[STATUS_UNKNOWN] = "UNKNOWN",
	};
	buf_addf(b, "NODOMETER %s - ", words[status]);
}

void plugin_put_words(struct buf *b, struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		buf_add_char(b, text.p[i] == '|' ? '/' : text.p[i]);
}
