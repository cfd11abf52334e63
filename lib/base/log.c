/* SPDX-License-Identifier: BSD-3-Clause */
/* log.c - messages of a program to its standard error */
#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/utf8.h"

static const char *name = "nodometer";
static enum log_level threshold = LOG_LEVEL_INFO;
static bool journal;

void log_open(const char *program, enum log_level most)
{
	name = program;
	threshold = most;
	journal = getenv("JOURNAL_STREAM") != NULL && !isatty(STDERR_FILENO);
}

void log_at(enum log_level level, const char *fmt, ...)
{
	char line[1024];
	if (level > threshold)
		return;

	int head = journal ? snprintf(line, sizeof(line), "<%d>", (int)level)
			   : snprintf(line, sizeof(line), "%s: ", name);
	va_list ap;
	va_start(ap, fmt);
	int body = vsnprintf(line + head, sizeof(line) - (size_t)head - 1, fmt, ap);
	va_end(ap);

	size_t n = (size_t)head + (body > 0 ? (size_t)body : 0);
	if (n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	utf8_make_printable(line + head, n - (size_t)head);	/* others' names are in it */
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, n) < 0)
		return;		/* nowhere left to complain */
}

static void hear(void *arg, enum log_level level, const char *line)
{
	(void)arg;
	log_at(level, "%s", line);
}

const struct listener log_listener = { .hear = hear };
