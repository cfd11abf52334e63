/* SPDX-License-Identifier: BSD-3-Clause */
/* cat.c - nodometer cat: print records as JSON lines or as CSV */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "formats/raw_read.h"
#include "base/cli.h"
#include "base/csv.h"
#include "base/files.h"
#include "archive/follow_host.h"
#include "archive/from.h"
#include "archive/input.h"
#include "archive/named_files.h"
#include "archive/remote.h"
#include "base/nearest.h"
#include "base/system/foreign.h"
#include "base/system/privileges.h"
#include "data/cat_print.h"
#include "data/cat_schema.h"
#include "data/rates.h"
#include "data/reading.h"
#include "schema/foreign.h"
#include "schema/type.h"

#define OUT_BYTES (64u << 10)

enum {
	JSON, CSV, WIDE, EXACT, SCHEMA, RATES, RESAMPLE, UNITS, JOB, TYPE, DEVICE, SINCE, UNTIL,
	DIR_, HOST, FOLLOW, FROM, LOGIN
};
static const struct cli_option options[] = {
	[JSON]   = { "json",   NULL,   "print an object per row and per mark (default)" },
	[CSV]    = { "csv",    NULL,   "print lines time,host,jobs,type,device,key,value" },
	[WIDE]   = { "wide",   NULL,   "print a table of one type: a column for each key" },
	[EXACT]  = { "exact",  NULL,
			"CSV: do not protect text that a spreadsheet takes for a formula" },
	[SCHEMA] = { "schema", NULL,   "print the types of the files and their keys, no records" },
	[RATES]  = { "rates",  NULL,   "print counters as rates per second" },
	[RESAMPLE] = { "resample", "S", "print only the first row of each device in S seconds" },
	[UNITS]  = { "units",  NULL,   "also print the unit of each value" },
	[JOB]    = { "job",    "JOB",  "only records taken while this job ran" },
	[TYPE]   = { "type",   "TYPE,...", "only rows of these types, no marks" },
	[DEVICE] = { "device", "DEV",  "only rows of this device, no marks" },
	[SINCE]  = { "since",  "TIME", "only records from TIME on" },
	[UNTIL]  = { "until",  "TIME", "only records up to TIME" },
	[DIR_]   = { "dir",    "DIR",  "read this archive, or the archive at a URL, not a FILE" },
	[HOST]   = { "host",   "HOST", "with --dir, --from: only HOST; \"*\" and \"?\" match" },
	[FOLLOW] = { "follow", NULL,   "FILE is DIR/HOST: print its newest file and new records" },
	[FROM]   = FROM_ROW,
	[LOGIN]  = LOGIN_ROW,
};
static const struct cli cli = {
	.command = "cat",
	.operands = "FILE... | --dir DIR | --from URL",
	.about = "Prints the records of raw files (plain, .gz, .zst; \"-\" is standard input).\n"
		 CLI_TIME,
	.option = options,
	.n_options = ARRAY_SIZE(options),
};

/* A type that the user selected. */
struct wanted_type {
	struct str name;
	bool seen;
};

struct record_filter {
	struct rates_how how;
	bool follow, schema;
	const char *dir, *host;		/* archive to read instead of named files, and host in it */
	struct from from;		/* ClickHouse to read instead of named files */
	struct wanted_type *type;	/* selected types; none selects all */
	size_t n_types;
	struct str job, device;		/* selected job and device; .p is NULL for any */
	int64_t since, until;		/* microseconds */
};

struct cat {
	const struct record_filter *filter;
	struct reading in;
	bool live;		/* print each record at once, because more may come */
	struct print print;
	struct schemas schemas;
	bool has_job;		/* a record of the selected job was there */
	struct rates *rates;	/* rates of .host, whose files come one after another */
	struct buf host;
};

static void cat_flush(struct cat *c)
{
	reading_print(&c->in, &c->print.out);
}

/* Whether a record is of the job; "-" is the job of an idle node. */
static bool has_job(const struct record *g, struct str job)
{
	return g->n_jobs ? record_has_job(g, job) : str_eq(job, STR("-"));
}

static bool cat_is_wanted(const struct record_filter *f, const struct record *g)
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

static bool cat_wants(void *arg, struct str type)
{
	return type_is_wanted(arg, type);
}

static bool row_is_wanted(const struct record_filter *f, const struct record_row *row)
{
	return !f->device.p || str_eq(row->device, f->device);
}

static void cat_put_rows(struct cat *c, const struct record_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (!row_is_wanted(c->filter, &rows->row[i]))
			continue;
		print_row(&c->print, c->in.file, rows->type, &rows->row[i]);
		if (c->print.out.n >= OUT_BYTES)
			cat_flush(c);
	}
}

static void cat_put_record(struct cat *c, const struct record *g, struct str host)
{
	const struct record_filter *f = c->filter;
	print_head(&c->print, g, host);
	for (size_t i = 0; !f->n_types && !f->device.p && i < g->n_marks; i++)
		print_mark(&c->print, g->mark[i].text);
	for (size_t i = 0; i < g->n_types; i++)
		if (type_is_wanted(f, str_of(g->rows[i].type->name)))
			cat_put_rows(c, &g->rows[i]);
}

/*
 * The record for --rates or --resample. All records are read, because any may precede the first
 * that is printed.
 */
static const struct record *rated(struct cat *c, const struct record_source *from,
				  const struct record *g)
{
	struct str host = record_host(from, g);
	if (!c->filter->how.per_second && !c->filter->how.period_us)
		return g;
	if (!c->rates || !str_eq(host, buf_str(&c->host))) {
		rates_free(c->rates);
		c->rates = rates_new(&c->filter->how, cat_wants, (void *)c->filter);
		c->host.n = 0;
		buf_add(&c->host, host);
	}
	return rates_of(c->rates, g, from);
}

static void put_schemas(struct cat *c, const struct record_source *source)
{
	if (c->filter->schema)
		schemas_put(&c->schemas, source, cat_wants, (void *)c->filter, &c->print.out);
}

/* Note the types of a file, also those without a row. */
static void look_at_types(struct cat *c, const struct record_source *from)
{
	const struct record_filter *f = c->filter;
	const struct record_type *has;
	for (size_t i = 0; (has = record_type_at(from, i)); i++)
		for (size_t k = 0; k < f->n_types; k++)
			if (str_eq(f->type[k].name, str_of(has->name)))
				f->type[k].seen = true;
}

static void cat_put_records(struct cat *c, struct record_source *source)
{
	const struct record *g;

	c->print.table.layout = NULL;
	while (record_next(source, &g) > 0) {
		if (g->restart)
			put_schemas(c, source);
		if (c->filter->schema)
			continue;
		struct str host = record_host(source, g);
		c->has_job |= c->filter->job.p && has_job(g, c->filter->job);
		g = rated(c, source, g);
		if (cat_is_wanted(c->filter, g))
			cat_put_record(c, g, host);
		if (c->live)
			cat_flush(c);
	}
	put_schemas(c, source);
	look_at_types(c, source);
	cat_flush(c);
}

static void cat_file(struct cat *c, const char *file, int fd)
{
	struct stat st;

	if (!reading_open(&c->in, file, fd))
		return;
	c->live = strcmp(file, "-") == 0 && fstat(STDIN_FILENO, &st) == 0 && !S_ISREG(st.st_mode);
	cat_put_records(c, &c->in.source);
	reading_close(&c->in);
}

static void cat_leave_root(void)
{
	foreign_confine(NULL, 0, 0, &log_listener);
}

/*
 * Give up root, but keep the right to read files: the files of a folder are opened one after
 * another, and the folder of a host may belong to anybody.
 */
static void leave_root_for_folder(void)
{
	foreign_confine(NULL, PRIVILEGE_SEARCH, 0, &log_listener);
	if (privileges_use(PRIVILEGE_SEARCH) < 0)
		log_debug("cannot keep the right to read: %s", strerror(errno));
}

static void cat_files(struct cat *c, char *const *path, size_t n)
{
	struct named_files files = { path, n, NULL };
	named_files_open(&files);
	cat_leave_root();
	for (size_t i = 0; i < n; i++)
		cat_file(c, path[i], named_files_take(&files, i));
	named_files_free(&files);
}

/* Follow DIR/HOST, or DIR/HOST/current, until a signal or an error. */
static void follow_host(struct cat *c, const char *file)
{
	static const volatile int never;
	static struct follow f;
	struct str path = str_of(file);

	leave_root_for_folder();
	if (str_ends(path, STR("/current")))
		path.n -= strlen("/current");
	c->in.file = file;
	f = (struct follow){ .newest = true, .stop = &never };
	int r = follow_open(&f, path);
	c->live = true;
	while (r == 0 && (r = follow_next_file(&f)) == 0) {
		const struct byte_source bytes = follow_bytes(&f);
		struct record_source source = raw_records(&bytes, NULL);
		cat_put_records(c, &source);
		record_source_end(&source);
	}
	log_error("%s: %s", file, r == -ENOENT ? "no records of a host: want DIR/HOST" :
		  strerror(-r));
	c->in.failed = true;
	follow_close(&f);
}

/*
 * List the files of an archive. Programs that fetch records from elsewhere start as root, to find
 * root's logins.
 */
static int list_archive(const struct record_filter *f, struct archive_file **file, size_t *n,
			struct buf *why)
{
	const struct answer_request q = { true, f->since, f->until, f->job };
	bool in_folder = !f->from.url && !remote_is(f->dir);

	if (in_folder)
		leave_root_for_folder();
	else if (!f->from.url)
		remote_begin();
	int r = archive_from(&f->from, f->dir, &q, f->host, file, n, why, why);
	if (in_folder)
		privileges_rest();
	else
		cat_leave_root();
	return r;
}

/* Open a file of an archive with the right to read all files, which is not in force in parsers. */
static int cat_open_listed(const char *path)
{
	(void)!privileges_use(PRIVILEGE_SEARCH);
	int fd = input_open_file(path);
	privileges_rest();
	return fd;
}

/* Print all files of an archive that may have records of the selected time. */
static void cat_archive(struct cat *c)
{
	const struct record_filter *f = c->filter;
	const char *host = f->host;
	struct archive_file *file;
	struct buf why CLEANUP(buf_free) = { 0 };
	size_t n, found = 0;
	if (list_archive(f, &file, &n, &why) < 0) {
		log_error(STR_FMT, STR_ARG(buf_str(&why)));
		c->in.failed = true;
		return;
	}
	if (why.n)
		log_warning("left out: " STR_FMT, STR_ARG(buf_str(&why)));
	if (host && archive_find_host(file, n, &host, &log_listener) < 0) {
		archive_list_free(file, n);
		c->in.failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (host && fnmatch(host, file[i].host, 0) != 0)
			continue;
		found++;
		if (archive_may_hold(file, n, i, f->since, f->until))
			cat_file(c, file[i].path, cat_open_listed(file[i].path));
	}
	archive_list_free(file, n);
	if (!found)
		log_error("%s: no files%s%s", f->from.url ? f->from.url : f->dir,
			  f->host ? " of host " : "", f->host ? f->host : "");
	c->in.failed |= !found;
}

static void cat_take_types(struct record_filter *f, const char *arg)
{
	struct str rest = str_of(arg), name;
	while (str_take_item(&rest, &name)) {
		f->type = xrealloc(f->type, (f->n_types + 1) * sizeof(*f->type));
		f->type[f->n_types++] = (struct wanted_type){ .name = foreign_type(name) };
	}
	if (!f->n_types)
		cli_wrong(&cli, "--type: \"%s\" names no type", arg);
}

/* Report a type that is in none of the files and unknown to us. */
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

/*
 * Report a job that no record names. Records outside the selected times or hosts may still name it.
 */
static bool job_is_there(const struct cat *c)
{
	const struct record_filter *f = c->filter;
	bool all = f->since == INT64_MIN && f->until == INT64_MAX && !f->host;
	bool there = !f->job.p || f->schema || c->in.failed || c->has_job || !all;
	if (!there)
		log_error("job " STR_FMT ": none of the files has records of it%s%s%s",
			  STR_ARG(f->job), f->dir ? "; \"nodometer jobs --dir " : "",
			  f->dir ? f->dir : "", f->dir ? "\" lists those that they have" : "");
	return there;
}

/* Parse a period. Periods start at the epoch, so that hours and days are those of UTC. */
static int64_t take_period(const char *text)
{
	char *end;
	errno = 0;
	double s = strtod(text, &end);
	if (errno || end == text || *end || !(s >= 1e-3 && s <= 1e9))
		cli_wrong(&cli, "--resample: \"%s\" is no number of seconds", text);
	return (int64_t)(s * 1e6 + .5);
}

static void cat_take_option(struct record_filter *f, struct print *p, int option, const char *arg)
{
	switch (option) {
	case JSON:   p->form = PRINT_JSON; break;
	case CSV:    p->form = PRINT_CSV; break;
	case WIDE:   p->form = PRINT_WIDE; break;
	case EXACT:  p->text = csv_str; break;
	case SCHEMA: f->schema = true; break;
	case RATES:  f->how.per_second = p->rates = true; break;
	case RESAMPLE: f->how.period_us = take_period(arg); break;
	case UNITS:  p->units = true; break;
	case JOB:    f->job = str_of(arg); break;
	case TYPE:   cat_take_types(f, arg); break;
	case DEVICE: f->device = str_of(arg); break;
	case SINCE:  f->since = cli_time(&cli, arg); break;
	case UNTIL:  f->until = cli_time(&cli, arg); break;
	case DIR_:   f->dir = arg; break;
	case HOST:   f->host = arg; break;
	case FOLLOW: f->follow = true; break;
	case FROM:   f->from.url = arg; break;
	case LOGIN:  f->from.login = arg; break;
	}
}

static void cat_take_options(struct record_filter *f, struct print *p, int argc, char **argv)
{
	const char *arg;
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		cat_take_option(f, p, o, arg);
	cli_check_times(&cli, f->since, f->until);
	bool all = f->dir || f->from.url;
	if (all ? optind < argc : optind == argc)
		cli_wrong(&cli, all ? "--dir, --from or a FILE" : "no FILE is named");
	if (f->host && !all)
		cli_wrong(&cli, "--host wants --dir or --from");
	if (f->follow && argc - optind != 1)
		cli_wrong(&cli, "--follow wants one DIR/HOST");
	if (f->schema && (p->form == PRINT_WIDE || f->follow))
		cli_wrong(&cli, "--schema is JSON or --csv, of what is there");
	if (p->form == PRINT_WIDE && f->n_types != 1)
		cli_wrong(&cli, "--wide wants one --type: types have other keys");
}

int main(int argc, char **argv)
{
	struct record_filter f = { .since = INT64_MIN, .until = INT64_MAX };
	struct cat c = { .filter = &f, .print.text = csv_cell };

	log_open("nodometer cat", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	cat_take_options(&f, &c.print, argc, argv);
	c.schemas.csv = c.print.form == PRINT_CSV;
	if (f.schema)
		schemas_put_head(&c.schemas, &c.print.out);
	else
		print_begin(&c.print);
	if (f.dir || f.from.url)
		cat_archive(&c);
	else if (f.follow)
		follow_host(&c, argv[optind]);
	else
		cat_files(&c, argv + optind, (size_t)(argc - optind));
	cat_flush(&c);
	c.in.failed |= !types_are_right(&f) || !job_is_there(&c);
	rates_free(c.rates);
	free(f.type);
	buf_free(&c.host);
	print_free(&c.print);
	schemas_free(&c.schemas);
	return c.in.failed ? CLI_FAILED : CLI_OK;
}
