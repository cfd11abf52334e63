/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.c - open files of records one after another, and print output */
#include "data/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"

static void before(const struct reading *r)
{
	if (r->before)
		r->before(r->arg);
}

static void reading_note_defect(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	struct reading *r = arg;
	if (kind == RECORD_UNREADABLE && input_error(r->in))
		what = input_why(input_error(r->in));
	if (kind == RECORD_UNREADABLE)
		r->failed = true;
	before(r);
	log_warning("%s:%" PRIu64 ": %s", r->file, line, what);
}

bool reading_open(struct reading *r, const char *file, int fd)
{
	struct buf why CLEANUP(buf_free) = { 0 };

	if (fd == -ECANCELED)
		return false;
	r->file = file;
	int e = input_take_file(fd, &r->in);
	if (e < 0) {
		input_explain_operand(&why, file, e);
		before(r);
		log_error("%s: " STR_FMT, file, STR_ARG(buf_str(&why)));
		r->failed = true;
		return false;
	}
	const struct byte_source bytes = input_bytes(r->in);
	const struct record_listener listener = { reading_note_defect, r };
	r->source = records_open(&bytes, &listener);
	return true;
}

void reading_close(struct reading *r)
{
	record_source_end(&r->source);
	input_free(r->in);
}

void reading_print(struct reading *r, struct buf *out)
{
	int e = files_print(STDOUT_FILENO, out);
	if (e == -EPIPE)
		exit(CLI_OK);	/* the reader of our output has closed the pipe */
	if (e < 0) {
		before(r);
		log_error("standard output: %s", strerror(-e));
		exit(CLI_FAILED);
	}
	out->n = 0;
}
