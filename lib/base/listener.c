/* SPDX-License-Identifier: BSD-3-Clause */
/* listener.c - send a message to a listener */
#include "base/listener.h"

#include <stdarg.h>
#include <stdio.h>

void listener_say(const struct listener *l, enum log_level level, const char *fmt, ...)
{
	char line[1024];
	va_list ap;
	if (!l)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	l->hear(l->arg, level, line);
}
