/* SPDX-License-Identifier: BSD-3-Clause */
/* log.c - print messages of a program to standard error */
#include "base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/str.h"
#include "base/utf8.h"

static const char *name = "nodometer";
static enum log_level threshold = LOG_LEVEL_INFO;
static bool journal;

/*
 * Return whether standard error is the journal: $JOURNAL_STREAM names it as "DEVICE:INODE" in
 * decimal (systemd.exec(5)). Compare the numbers, because programs with another standard error
 * inherit the variable, too.
 */
static bool log_is_journal(void)
{
	const char *value = getenv("JOURNAL_STREAM");
	struct str text = str_of(value ? value : "");
	uint64_t device, inode;
	struct stat st;
	return str_take_u64(&text, &device) && str_take_prefix(&text, STR(":")) &&
	       str_take_u64(&text, &inode) && text.n == 0 && fstat(STDERR_FILENO, &st) == 0 &&
	       st.st_dev == device && st.st_ino == inode;
}

void log_open(const char *program, enum log_level most)
{
	name = program;
	threshold = most;
	journal = log_is_journal();
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
	/* names in the message may be chosen by other users */
	utf8_make_printable(line + head, n - (size_t)head);
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, n) < 0)
		return;		/* a failure to log cannot be reported */
}

static void log_hear(void *arg, enum log_level level, const char *line)
{
	(void)arg;
	log_at(level, "%s", line);
}

const struct listener log_listener = { .hear = log_hear };
