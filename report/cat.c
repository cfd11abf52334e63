/* SPDX-License-Identifier: BSD-3-Clause */
/* cat.c - nodometer cat: the records of raw files as JSON lines or as CSV */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "formats/raw_read.h"
#include "formats/raw_write.h"
#include "base/cli.h"
#include "base/csv.h"
#include "base/files.h"
#include "base/json.h"
#include "archive/follow_host.h"
#include "archive/input.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "report/rates.h"
#include "report/wide.h"
#include "schema/type.h"

#define OUT_BYTES (64u << 10)

enum { JSON, CSV, WIDE, RATES, JOB, TYPE, DEVICE, SINCE, UNTIL, FOLLOW };
static const struct cli_option options[] = {
	[JSON]   = { "json",   NULL,   "print an object per row and per mark (default)" },
	[CSV]    = { "csv",    NULL,   "print lines time,host,jobs,type,device,key,value" },
	[WIDE]   = { "wide",   NULL,   "print a table of one type: a column for each key" },
	[RATES]  = { "rates",  NULL,   "counters per second since the reading before" },
	[JOB]    = { "job",    "JOB",  "only records taken while this job ran" },
	[TYPE]   = { "type",   "TYPE,...", "only rows of these types, no marks" },
	[DEVICE] = { "device", "DEV",  "only rows of this device, no marks" },
	[SINCE]  = { "since",  "TIME", "only records from TIME on" },
	[UNTIL]  = { "until",  "TIME", "only records up to TIME" },
	[FOLLOW] = { "follow", NULL,   "FILE is DIR/HOST: its newest file, and what is written" },
};
static const struct cli cli = {
	.command = "cat",
	.operands = "FILE...",
	.about = "Prints the records of raw files (plain, .gz, .zst; \"-\" is standard input).\n"
		 "TIME is epoch seconds or local \"YYYY-MM-DD HH:MM[:SS]\".",
	.option = options,
	.n_options = ARRAY_SIZE(options),
};

/* A type that is asked for. */
struct wanted_type {
	struct str name;
	bool seen;
};

struct record_filter {
	bool csv, wide, rates, follow;
	struct wanted_type *type;	/* none: all */
	size_t n_types;
	struct str job, device;		/* .p NULL: any */
	int64_t since, until;		/* microseconds */
};

/* One file on its way through. */
struct cat {
	const struct record_filter *filter;
	const char *file;
	struct input *in;
	bool live;		/* more comes: each record is printed at once */
	bool failed;
	struct wide wide;
	struct rates *rates;	/* of .host: its files stand together */
	struct buf host;
	struct buf head;	/* what all lines of the group begin with */
	struct buf out;
};

static void flush(struct cat *c)
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
	struct cat *c = arg;
	if (kind == RECORD_UNREADABLE && input_error(c->in))
		what = input_why(input_error(c->in));
	if (kind == RECORD_UNREADABLE)
		c->failed = true;
	log_warning("%s:%" PRIu64 ": %s", c->file, line, what);
}

/* "-" is the job of an idle node. */
static bool has_job(const struct record *g, struct str job)
{
	return g->n_jobs ? record_has_job(g, job) : str_eq(job, STR("-"));
}

static bool is_wanted(const struct record_filter *f, const struct record *g)
{
	return g->usec >= f->since && g->usec <= f->until &&
	       (!f->job.p || has_job(g, f->job));
}

static bool type_is_wanted(const struct record_filter *f, struct str type)
{
	size_t i = 0;
	while (i < f->n_types && !str_eq(type, f->type[i].name))
		i++;
	if (i < f->n_types)
		f->type[i].seen = true;
	return i < f->n_types || !f->n_types;
}

static bool wants(void *arg, struct str type)
{
	return type_is_wanted(arg, type);
}

static bool row_is_wanted(const struct record_filter *f, const struct record_row *row)
{
	return !f->device.p || str_eq(row->device, f->device);
}

static void json_head(struct buf *b, const struct record *g, struct str host)
{
	json_open(b, NULL, '{');
	json_raw(b, "time", STR(""));
	raw_put_time(b, g->usec);
	json_str(b, "host", host);
	json_open(b, "jobs", '[');
	for (size_t i = 0; i < g->n_jobs; i++)
		json_str(b, NULL, g->job[i]);
	json_close(b, ']');
}

static void json_row(struct cat *c, const struct record_type *type, const struct record_row *row)
{
	struct buf *b = &c->out;
	buf_add(b, buf_str(&c->head));
	json_str(b, "type", str_of(type->name));
	json_str(b, "device", row->device);
	json_open(b, "values", '{');
	for (size_t key = 0; key < type->n_keys; key++) {
		const char *name = type->key[key].name;
		if (!row_has(row, key))
			continue;
		if (row_is_real(row, key))
			json_double(b, name, row->real[key]);
		else
			json_u64(b, name, row->value[key]);
	}
	buf_add(b, STR("}}\n"));
}

static void json_mark(struct cat *c, struct str mark)
{
	buf_add(&c->out, buf_str(&c->head));
	json_str(&c->out, "mark", mark);
	buf_add(&c->out, STR("}\n"));
}

static void csv_head(struct buf *b, const struct record *g, struct str host)
{
	raw_put_time(b, g->usec);
	csv_raw(b, STR(""));
	csv_str(b, host);
	struct buf jobs CLEANUP(buf_free) = { 0 };
	record_put_jobs(&jobs, g);
	csv_str(b, buf_str(&jobs));
}

static void csv_row(struct cat *c, const struct record_type *type, const struct record_row *row)
{
	struct buf *b = &c->out;
	for (size_t key = 0; key < type->n_keys; key++) {
		if (!row_has(row, key))
			continue;
		buf_add(b, buf_str(&c->head));
		csv_str(b, str_of(type->name));
		csv_str(b, row->device);
		csv_str(b, str_of(type->key[key].name));
		row_put_value(b, row, key);
		buf_add_char(b, '\n');
	}
}

static void fit_table(struct cat *c, const struct record_type *type)
{
	const char *lost = wide_fit(&c->wide, &c->out, type);
	if (lost)
		log_warning("%s: key %s of type %s has no column: the first schema lacks it",
			    c->file, lost, type->name);
}

static void put_rows(struct cat *c, const struct record_rows *rows)
{
	const struct record_filter *f = c->filter;
	if (f->wide)
		fit_table(c, rows->type);
	for (size_t i = 0; i < rows->n; i++) {
		if (!row_is_wanted(f, &rows->row[i]))
			continue;
		if (f->wide)
			wide_put(&c->wide, &c->out, buf_str(&c->head), &rows->row[i]);
		else
			(f->csv ? csv_row : json_row)(c, rows->type, &rows->row[i]);
		if (c->out.n >= OUT_BYTES)
			flush(c);
	}
}

static void put_record(struct cat *c, const struct record *g, struct str host)
{
	const struct record_filter *f = c->filter;
	c->head.n = 0;
	(f->csv ? csv_head : json_head)(&c->head, g, host);

	bool marks = !f->csv && !f->n_types && !f->device.p;
	for (size_t i = 0; marks && i < g->n_marks; i++)
		json_mark(c, g->mark[i].text);
	for (size_t i = 0; i < g->n_types; i++)
		if (type_is_wanted(f, str_of(g->rows[i].type->name)))
			put_rows(c, &g->rows[i]);
}

/* With --rates, the record of them: all are taken, since any may be the first that is shown. */
static const struct record *rated(struct cat *c, const struct record_source *from,
				  const struct record *g)
{
	struct str host = record_host(from, g);
	if (!c->filter->rates)
		return g;
	if (!c->rates || !str_eq(host, buf_str(&c->host))) {
		rates_free(c->rates);
		c->rates = rates_new(wants, (void *)c->filter);
		c->host.n = 0;
		buf_add(&c->host, host);
	}
	return rates_of(c->rates, g, record_property(from, "boot_id"));
}

/* Types without a row, too, are types of the file. */
static void look_at_types(struct cat *c, const struct record_source *from)
{
	const struct record_filter *f = c->filter;
	const struct record_type *has;
	for (size_t i = 0; (has = record_type_at(from, i)); i++)
		for (size_t k = 0; k < f->n_types; k++)
			if (str_eq(f->type[k].name, str_of(has->name)))
				f->type[k].seen = true;
}

static void put_records(struct cat *c, struct record_source *source)
{
	const struct record *g;

	c->wide.layout = NULL;
	while (record_next(source, &g) > 0) {
		struct str host = record_host(source, g);
		g = rated(c, source, g);
		if (is_wanted(c->filter, g))
			put_record(c, g, host);
		if (c->live)
			flush(c);
	}
	look_at_types(c, source);
	flush(c);
}

static void cat_file(struct cat *c)
{
	int r = input_open(c->file, &c->in);
	if (r < 0) {
		struct buf why CLEANUP(buf_free) = { 0 };
		input_explain(&why, c->file, r);
		log_error("%s: " STR_FMT, c->file, STR_ARG(buf_str(&why)));
		c->failed = true;
		return;
	}
	const struct byte_source bytes = input_bytes(c->in);
	const struct record_listener listener = { note_defect, c };
	struct record_source source = records_open(&bytes, &listener);
	struct stat st;
	c->live = strcmp(c->file, "-") == 0 && fstat(STDIN_FILENO, &st) == 0 &&
		  !S_ISREG(st.st_mode);
	put_records(c, &source);
	record_source_end(&source);
	input_free(c->in);
}

/* DIR/HOST, also where it is named as DIR/HOST/current. Ends only by a signal, or an error. */
static void follow_host(struct cat *c)
{
	static const volatile int never;
	static struct follow f;
	struct str path = str_of(c->file);

	if (str_ends(path, STR("/current")))
		path.n -= strlen("/current");
	f = (struct follow){ .newest = true, .stop = &never };
	int r = follow_open(&f, path);
	c->live = true;
	while (r == 0 && (r = follow_next_file(&f)) == 0) {
		const struct byte_source bytes = follow_bytes(&f);
		struct record_source source = raw_records(&bytes, NULL);
		put_records(c, &source);
		record_source_end(&source);
	}
	log_error("%s: %s", c->file, r == -ENOENT ? "no records of a host: want DIR/HOST" :
		  strerror(-r));
	c->failed = true;
	follow_close(&f);
}

static void take_time(const char *text, int64_t *usec)
{
	if (cli_time(text, usec) < 0)
		cli_wrong(&cli, "\"%s\" is not a time", text);
}

static void take_types(struct record_filter *f, const char *arg)
{
	struct str rest = str_of(arg), name;
	while (str_take_item(&rest, &name)) {
		f->type = xrealloc(f->type, (f->n_types + 1) * sizeof(*f->type));
		f->type[f->n_types++] = (struct wanted_type){ .name = name };
	}
	if (!f->n_types)
		cli_wrong(&cli, "--type: \"%s\" names no type", arg);
}

/* A type that none of the files has, and that is none of ours, is a mistake. */
static bool types_are_right(const struct record_filter *f)
{
	bool right = true;
	for (size_t i = 0; i < f->n_types; i++) {
		struct nearest near = { NULL, 0 };
		char *name = xstrdup(f->type[i].name);
		for (size_t k = 0; k < n_types; k++)
			nearest_try(&near, name, types[k]->name);
		if (!f->type[i].seen && !type_find(name)) {
			log_error("type %s: none of the files has it%s%s%s", name,
				  near.best ? "; did you mean \"" : "",
				  near.best ? near.best : "", near.best ? "\"?" : "");
			right = false;
		}
		free(name);
	}
	return right;
}

static void take_options(struct record_filter *f, int argc, char **argv)
{
	const char *arg;
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		switch (o) {
		case JSON:
			f->csv = f->wide = false;
			break;
		case CSV:
			f->csv = true;
			break;
		case JOB:
			f->job = str_of(arg);
			break;
		case WIDE:
			f->csv = f->wide = true;
			break;
		case RATES:
			f->rates = true;
			break;
		case TYPE:
			take_types(f, arg);
			break;
		case DEVICE:
			f->device = str_of(arg);
			break;
		case SINCE:
			take_time(arg, &f->since);
			break;
		case UNTIL:
			take_time(arg, &f->until);
			break;
		case FOLLOW:
			f->follow = true;
			break;
		}
	}
	if (optind == argc)
		cli_wrong(&cli, "no FILE is named");
	if (f->follow && argc - optind != 1)
		cli_wrong(&cli, "--follow wants one DIR/HOST");
	if (f->wide && f->n_types != 1)
		cli_wrong(&cli, "--wide wants one --type: types have other keys");
}

int main(int argc, char **argv)
{
	struct record_filter f = { .until = INT64_MAX };
	struct cat c = { .filter = &f };

	log_open("nodometer cat", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	take_options(&f, argc, argv);
	if (f.csv && !f.wide)
		buf_add(&c.out, STR("time,host,jobs,type,device,key,value\n"));
	for (int i = optind; i < argc; i++) {
		c.file = argv[i];
		(f.follow ? follow_host : cat_file)(&c);
	}
	flush(&c);
	c.failed |= !types_are_right(&f);
	rates_free(c.rates);
	wide_free(&c.wide);
	free(f.type);
	buf_free(&c.host);
	buf_free(&c.head);
	buf_free(&c.out);
	return c.failed ? CLI_FAILED : CLI_OK;
}
