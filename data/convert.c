/* SPDX-License-Identifier: BSD-3-Clause */
/* convert.c - nodometer convert: files of records from one format into another, or why not */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/input.h"
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/program.h"
#include "data/convert_raw.h"

#define OUT_BYTES (256u << 10)
#define LOOK      8		/* bytes by which text that is no records is known */

enum { TO, OUTPUT };
static const struct cli_option options[] = {
	[TO]     = { "to",     "FORMAT", "what to make of them; see below" },
	[OUTPUT] = { "output", "FILE",   "where a MONITOR recording goes", 'o' },
};

/* What files are made into; .program does it, or nobody can. */
static struct target {
	const char *name, *about;
	const char *program;	/* NULL: this one */
	char words[2][16];	/* of its command line */
	bool to_file;		/* the output is a word after these, and the files are one */
	const char *why_not;
} targets[] = {
	{ "raw",     "a raw file" },
	{ "csv",     "lines time,host,jobs,type,device,key,value", "cat", { "--csv" } },
	{ "jsonl",   "JSON, an object per row and per mark", "cat", { "--json" } },
	{ "monitor", "a MONITOR recording, of the classes that the records have", "monitor",
	  { "all_classes", "--record" }, .to_file = true },
	{ "pm",      .why_not = "it is of single TCP connections, which nodometer tcp records; "
				"records of a node have sums of them" },
};

static void print_targets(void)
{
	printf("\nFORMAT is one of:\n");
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (!targets[i].why_not)
			printf("  %-8s %s\n", targets[i].name, targets[i].about);
}

static const struct cli cli = {
	.command = "convert",
	.operands = "FILE...",
	.about = "Makes raw files, MONITOR recordings and .pm files (plain, .gz, .zst; \"-\" is\n"
		 "standard input) into another format, on standard output.",
	CLI_OPTIONS(options),
	.more = print_targets,
};

/* One file on its way through. */
struct convert {
	const char *file;
	struct input *in;
	struct raw_copy copy;
	struct buf out;
	bool failed;
};

static void flush(struct convert *c)
{
	int e = files_write(STDOUT_FILENO, buf_str(&c->out));
	if (e == -EPIPE)
		exit(CLI_OK);	/* whoever reads has seen enough */
	if (e < 0) {
		log_error("standard output: %s", strerror(-e));
		exit(CLI_FAILED);
	}
	c->out.n = 0;
}

static void note_defect(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	struct convert *c = arg;
	if (kind == RECORD_UNREADABLE && input_error(c->in))
		what = input_why(input_error(c->in));
	if (kind == RECORD_UNREADABLE)
		c->failed = true;
	log_warning("%s:%" PRIu64 ": %s", c->file, line, what);
}

static int open_input(struct convert *c)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	int r = input_open(c->file, &c->in);
	if (r < 0) {
		input_explain(&why, c->file, r);
		log_error("%s: " STR_FMT, c->file, STR_ARG(buf_str(&why)));
		c->failed = true;
	}
	return r;
}

/* What cat printed has lost what a raw file must say. */
static void explain(struct convert *c)
{
	char first[LOOK];
	if (strcmp(c->file, "-") == 0 || open_input(c) < 0)
		return;
	const struct byte_source bytes = input_bytes(c->in);
	ssize_t n = bytes.read(bytes.arg, first, sizeof(first));
	struct str text = { first, n > 0 ? (size_t)n : 0 };
	if (str_starts(text, STR("{")) || str_starts(text, STR("time,")))
		log_error("%s: CSV and JSON lines do not say which keys are counters, nor how wide "
			  "they are: convert the file that they were made of", c->file);
	input_free(c->in);
}

static void copy_file(struct convert *c)
{
	const struct record_listener listener = { note_defect, c };
	const struct record *r;
	size_t n = 0;

	if (open_input(c) < 0)
		return;
	const struct byte_source bytes = input_bytes(c->in);
	struct record_source source = records_open(&bytes, &listener);
	raw_copy_source(&c->copy);
	for (; record_next(&source, &r) > 0; n++) {
		raw_copy_put(&c->copy, &source, r, &c->out);
		if (c->out.n >= OUT_BYTES)
			flush(c);
	}
	record_source_end(&source);
	input_free(c->in);
	if (c->failed && n == 0)
		explain(c);
}

static int copy_files(char **file)
{
	struct convert c = { .failed = false };

	for (; *file; file++) {
		c.file = *file;
		copy_file(&c);
	}
	flush(&c);
	if (c.copy.left_out)
		log_warning("%" PRIu64 " rows are left out: they lack a value, for which a raw "
			    "file has no sign", c.copy.left_out);
	raw_copy_free(&c.copy);
	buf_free(&c.out);
	return c.failed ? CLI_FAILED : CLI_OK;
}

/* Becomes the program that has the format. */
static int become(struct target *t, char *output, char **file, int n)
{
	struct buf own CLEANUP(buf_free) = { 0 }, all CLEANUP(buf_free) = { 0 };
	char **args = calloc((size_t)n + 8, sizeof(*args));
	int k = 1;

	if (!args)
		abort();
	buf_addf(&own, "nodometer-%s%c", t->program, '\0');
	args[0] = own.p;
	for (size_t i = 0; i < ARRAY_SIZE(t->words) && t->words[i][0]; i++)
		args[k++] = t->words[i];
	if (t->to_file)
		args[k++] = output;
	for (int i = 0; i < n; i++) {
		buf_addf(&all, "%s%s", i ? "," : "--input=", file[i]);
		if (!t->to_file)
			args[k++] = file[i];
	}
	buf_add_char(&all, '\0');
	if (t->to_file)
		args[k++] = all.p;
	int e = program_run(t->program, args);
	log_error("nodometer-%s: %s", t->program, strerror(-e));
	free(args);
	return CLI_FAILED;
}

static struct target *find_target(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (strcmp(targets[i].name, name) == 0)
			return &targets[i];
	cli_wrong(&cli, "--to: \"%s\" is not raw, csv, jsonl or monitor", name);
}

int main(int argc, char **argv)
{
	struct target *t = NULL;
	const char *arg;
	char *output = NULL;

	log_open("nodometer convert", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		if (o == TO)
			t = find_target(arg);
		else
			output = optarg;
	if (!t)
		cli_wrong(&cli, "--to says into what");
	if (t->why_not) {
		log_error("--to %s: %s", t->name, t->why_not);
		return CLI_FAILED;
	}
	if (optind == argc)
		cli_wrong(&cli, "no FILE is named");
	if (t->to_file != !!output)
		cli_wrong(&cli, t->to_file ? "--to %s wants --output FILE" :
			  "--to %s prints, and takes no --output", t->name);
	return t->program ? become(t, output, argv + optind, argc - optind) :
			    copy_files(argv + optind);
}
