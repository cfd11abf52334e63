/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c - nodometer check: validate raw files */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include "base/buf.h"
#include "base/cli.h"
#include "base/utf8.h"
#include "archive/input.h"
#include "archive/named_files.h"
#include "base/map.h"
#include "base/system/foreign.h"
#include "schema/marks.h"

struct file_check {
	const char *file;
	struct input *in;
	uint64_t defects, groups, rows;
	int64_t first, last;	/* times of the first and last record, in microseconds */
	struct map ended;	/* for the hash of each job id: whether its last mark was an end */
};

static void check_note_defect(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	struct file_check *c = arg;
	if (kind == RECORD_UNREADABLE && input_error(c->in))
		what = input_why(input_error(c->in));
	c->defects++;
	printf("%s:%" PRIu64 ": %s\n", c->file, line, what);
}

/*
 * Return whether the job's previous mark was of the same kind, begin or end. A mark is written
 * twice if its writer was killed before it could confirm the mark; readers count both as one.
 */
static bool check_is_repeated(struct map *ended, const struct mark *mark)
{
	bool end = mark->kind == MARK_END;
	if (!end && mark->kind != MARK_BEGIN)
		return false;
	uint64_t hash = map_hash(mark->subject);
	struct map_slot *last = map_next(ended, hash, NULL);
	bool again = last && last->value.n == end;
	if (last)
		last->value.n = end;
	else
		map_add(ended, hash, (union map_value){ .n = end });
	return again;
}

static void note_marks(struct file_check *c, const struct record *g)
{
	for (size_t i = 0; i < g->n_marks; i++) {
		struct buf mark CLEANUP(buf_free) = { 0 };
		if (!check_is_repeated(&c->ended, &g->mark[i]))
			continue;
		buf_add(&mark, g->mark[i].text);
		utf8_make_printable(mark.p, mark.n);
		printf("%s:%" PRIu64 ": warning: %%" STR_FMT ": same as the job's previous mark; "
		       "readers count it once\n", c->file, g->line, STR_ARG(buf_str(&mark)));
	}
}

/* Return whether the header says that the clock was set back. */
static bool is_announced(const struct record *g, const struct record_source *source)
{
	return g->restart && record_property(source, "clock_set").n > 0;
}

static void note_group(struct file_check *c, const struct record *g,
		       const struct record_source *source)
{
	note_marks(c, g);
	if (c->groups && g->usec < c->last && !is_announced(g, source))
		printf("%s:%" PRIu64 ": warning: the time goes back by %.6f s\n", c->file, g->line,
		       (double)(c->last - g->usec) / 1e6);
	if (!c->groups)
		c->first = g->usec;
	c->last = g->usec;
	c->groups++;
	c->rows += g->n_rows;
}

static void print_summary(const struct file_check *c, size_t types)
{
	printf("%s: ", c->file);
	if (c->defects)
		printf("%" PRIu64 " defect%s; ", c->defects, c->defects == 1 ? "" : "s");
	else
		printf("whole; ");
	printf("%" PRIu64 " groups, %" PRIu64 " rows, %zu types", c->groups, c->rows, types);
	if (c->groups)
		printf(", %s to %s", cli_moment(c->first).s, cli_moment(c->last).s);
	putchar('\n');
}

/* Check a file. Returns the number of defects. */
static uint64_t check_file(const char *file, int fd)
{
	/* make the name printable, because a wildcard in the shell may match any name */
	struct buf name CLEANUP(buf_free) = { 0 };
	buf_add(&name, str_of(file));
	utf8_make_printable(name.p, name.n);
	buf_add_char(&name, '\0');
	struct file_check c = { .file = name.p };
	int r = input_take_file(fd, &c.in);
	if (r < 0) {
		struct buf why CLEANUP(buf_free) = { 0 };
		input_explain_operand(&why, file, r);
		utf8_make_printable(why.p, why.n);
		printf("%s: " STR_FMT "\n", c.file, STR_ARG(buf_str(&why)));
		return 1;
	}
	const struct byte_source bytes = input_bytes(c.in);
	const struct record_listener listener = { check_note_defect, &c };
	struct record_source source = records_open(&bytes, &listener);
	const struct record *g;
	size_t types = 0;

	while (record_next(&source, &g) > 0)
		note_group(&c, g, &source);
	while (record_type_at(&source, types))
		types++;
	print_summary(&c, types);
	record_source_end(&source);
	input_free(c.in);
	map_free(&c.ended);
	return c.defects;
}

int main(int argc, char **argv)
{
	static const struct cli cli = {
		.command = "check",
		.operands = "FILE...",
		.about = "Reports the defects of raw files (plain, .gz, .zst; \"-\" is standard "
			 "input),\nby file and line. The exit status is 1 if there are any.",
	};
	const char *arg;
	uint64_t defects = 0;

	cli_next(&cli, argc, argv, &arg);
	if (optind == argc)
		cli_wrong(&cli, "missing FILE; the files of an archive are DIR/HOST/EPOCH");
	struct named_files files = { argv + optind, (size_t)(argc - optind), NULL };
	named_files_open(&files);
	foreign_confine(NULL, 0, 0, NULL);
	for (size_t i = 0; i < files.n; i++) {
		int fd = named_files_take(&files, i);
		if (fd != -ECANCELED)
			defects += check_file(files.path[i], fd);
	}
	named_files_free(&files);
	return cli_flush() == CLI_OK && !defects ? CLI_OK : CLI_FAILED;
}
