/* SPDX-License-Identifier: BSD-3-Clause */
/* convert.c - nodometer convert: convert files of records into another format */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "archive/input.h"
#include "archive/named_files.h"
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/foreign.h"
#include "base/system/program.h"
#include "formats/raw_copy.h"
#include "data/reading.h"

#define OUT_BYTES (256u << 10)
/* number of leading bytes that tell whether text is a file of records */
#define LOOK      8

enum { TO, OUTPUT };
static const struct cli_option options[] = {
	[TO]     = { "to",     "FORMAT", "format of the output; see below" },
	[OUTPUT] = { "output", "FILE",   "write the MONITOR recording to FILE", 'o' },
};

/* Formats of output, with the program that writes each; some have none. */
static struct target {
	const char *name, *about;
	const char *program;	/* program, or NULL for this one */
	char words[2][16];	/* words of its command line */
	/* whether an output file follows these words, and the inputs are one recording */
	bool to_file;
	const char *why_not;
} targets[] = {
	{ "raw",     "a raw file" },
	{ "csv",     "lines time,host,jobs,type,device,key,value", "cat", { "--csv", "--exact" } },
	{ "jsonl",   "JSON, an object per row and per mark", "cat", { "--json" } },
	{ "monitor", "a MONITOR recording, of the classes that the records have", "monitor",
	  { "all_classes", "--record" }, .to_file = true },
	{ "pm",      .why_not = "pm is of single TCP connections, which nodometer tcp records; "
				"records of a node have sums of them" },
};

static void print_targets(void)
{
	printf("\nFORMAT is one of:\n");
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (!targets[i].why_not &&
		    !(targets[i].program && program_left_out(targets[i].program)))
			printf("  %-8s %s\n", targets[i].name, targets[i].about);
}

static const struct cli cli = {
	.command = "convert",
	.operands = "FILE...",
	.about = "Converts raw files, MONITOR recordings and .pm files (plain, .gz, .zst; \"-\"\n"
		 "is standard input) to another format, on standard output.",
	CLI_OPTIONS(options),
	.more = print_targets,
};

/* Explain why output of cat cannot be converted: cat drops lines that a raw file needs. */
static void convert_explain(const char *file, int fd)
{
	char first[LOOK];
	struct input *in;

	if (lseek(fd, 0, SEEK_SET) < 0 ||
	    input_take_file(fcntl(fd, F_DUPFD_CLOEXEC, 3), &in) < 0)
		return;
	const struct byte_source bytes = input_bytes(in);
	ssize_t n = bytes.read(bytes.arg, first, sizeof(first));
	struct str text = { first, n > 0 ? (size_t)n : 0 };
	if (str_starts(text, STR("{")) || str_starts(text, STR("time,")))
		log_error("%s: CSV and JSON lines do not say which keys are counters, nor how wide "
			  "they are: convert the file that they were made of", file);
	input_free(in);
}

static void copy_file(struct reading *in, struct raw_copy *copy, struct buf *out, const char *file,
		      int fd)
{
	int again CLEANUP(close_fd) = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	const struct record *r;
	size_t n = 0;

	if (!reading_open(in, file, fd))
		return;
	raw_copy_source(copy);
	for (; record_next(&in->source, &r) > 0; n++) {
		raw_copy_put(copy, &in->source, r, out);
		if (out->n >= OUT_BYTES)
			reading_print(in, out);
	}
	reading_close(in);
	if (in->failed && n == 0)
		convert_explain(file, again);
}

static int copy_files(char *const *path, size_t n)
{
	struct named_files files = { path, n, NULL };
	struct buf out CLEANUP(buf_free) = { 0 };
	struct raw_copy copy = { .left_out = 0 };
	struct reading in = { .failed = false };

	named_files_open(&files);
	foreign_confine(NULL, 0, 0, &log_listener);
	for (size_t i = 0; i < n; i++)
		copy_file(&in, &copy, &out, path[i], named_files_take(&files, i));
	named_files_free(&files);
	reading_print(&in, &out);
	if (copy.left_out)
		log_warning("%" PRIu64 " rows are left out: they lack a value, for which a raw "
			    "file has no sign", copy.left_out);
	raw_copy_free(&copy);
	return in.failed ? CLI_FAILED : CLI_OK;
}

/* Execute the program that writes the format. */
static int convert_become(struct target *t, char *output, char **file, int n)
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
	const char *left_out = t->program ? program_left_out(t->program) : NULL;
	if (left_out) {
		log_error("--to %s: nodometer-%s is not built: configured with %s", t->name,
			  t->program, left_out);
		return CLI_FAILED;
	}
	if (t->why_not) {
		log_error("--to %s: %s", t->name, t->why_not);
		return CLI_FAILED;
	}
	if (optind == argc)
		cli_wrong(&cli, "no FILE is named");
	if (t->to_file != !!output)
		cli_wrong(&cli, t->to_file ? "--to %s wants --output FILE" :
			  "--to %s prints, and takes no --output", t->name);
	return t->program ? convert_become(t, output, argv + optind, argc - optind) :
			    copy_files(argv + optind, (size_t)(argc - optind));
}
