/* SPDX-License-Identifier: BSD-3-Clause */
/* cat.c - nodometer cat: print records as JSON lines, as CSV, or in other formats */
#include <errno.h>
#include <fnmatch.h>
#include <fcntl.h>
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
#include "base/system/program.h"
#include "data/cat_print.h"
#include "data/cat_schema.h"
#include "data/convert.h"
#include "data/encode.h"
#include "data/cat_rates.h"
#include "data/reading.h"
#include "schema/foreign.h"
#include "schema/type.h"

#define OUT_BYTES (64u << 10)
#define ARCHIVE LOCALSTATEDIR "/lib/nodometer"

enum {
	JSON, CSV, WIDE, EXACT, SCHEMA, RATES, RESAMPLE, UNITS, JOB, TYPE, DEVICE, SINCE, UNTIL,
	DIR_, HOST, FOLLOW, FROM, LOGIN, TO, MONOTONIC, LABEL, OUTPUT, TYPES
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
	[DIR_]   = { "dir",    "DIR",  "read this archive, or the archive at a URL (" ARCHIVE ")" },
	[HOST]   = { "host",   "HOST", "with --dir, --from: only HOST; \"*\" and \"?\" match" },
	[FOLLOW] = { "follow", NULL,   "FILE is DIR/HOST: print its newest file and new records" },
	[FROM]   = FROM_ROW,
	[LOGIN]  = LOGIN_ROW,
	[TO]     = { "to",     "FORMAT", "print another format; see below" },
	[MONOTONIC] = { "monotonic", NULL,
			"with --to: add up wraps and resets, so that counters only grow" },
	[LABEL]  = { "label",  "NAME=VALUE",
			"with --to: add this label to all values; may be repeated" },
	[OUTPUT] = { "output", "FILE", "with --to monitor: write the recording to FILE", 'o' },
	[TYPES]  = { "types",  "TYPE,...", NULL },	/* old name of --type */
};

/*
 * Formats of --to that need no struct line_encoder. With --monotonic, csv, jsonl and raw are
 * written by a line encoder instead.
 */
enum format { TO_CSV, TO_JSONL, TO_RAW, TO_MONITOR, N_FORMATS };
static const struct {
	const char *name, *about;
} formats[] = {
	[TO_CSV]     = { "csv", "as --csv; with --monotonic, as senders send it" },
	[TO_JSONL]   = { "jsonl", "as --json; with --monotonic, as senders send it: an object per "
				  "row, with arrays of keys and values" },
	[TO_RAW]     = { "raw", "a raw file; with --monotonic, of counters that only grow" },
	[TO_MONITOR] = { "monitor", "a MONITOR recording, of the classes that the records have" },
};

static enum format cat_find_format(struct str name)
{
	int i = 0;
	while (i < N_FORMATS && !str_eq(name, str_of(formats[i].name)))
		i++;
	return (enum format)i;
}

static void cat_print_formats(void)
{
	printf("\nFORMAT is one of:\n");
	for (int i = 0; i < N_FORMATS; i++)
		if (i != TO_MONITOR || !program_left_out("monitor"))
			cli_print_row(stdout, 17, formats[i].name, formats[i].about);
	for (size_t i = 0; i < n_line_encoders; i++)
		if (cat_find_format(str_of(line_encoders[i]->name)) == N_FORMATS)
			cli_print_row(stdout, 17, line_encoders[i]->name, line_encoders[i]->about);
}

static const struct cli cli = {
	.command = "cat",
	.operands = "[FILE... | --dir DIR | --from URL]",
	.about = "Prints the records of raw files (plain, .gz, .zst; \"-\" is standard input).\n"
		 CLI_TIME,
	CLI_OPTIONS(options),
	.more = cat_print_formats,
};

/* a type that the user selected */
struct wanted_type {
	struct str name;
	bool seen;
};

struct record_filter {
	struct rates_how how;
	bool follow, schema;
	/* archive to read instead of named files, and the host to read in it */
	const char *dir, *host;
	struct from from;		/* database to read instead of named files */
	struct wanted_type *type;	/* selected types; none selects all */
	size_t n_types;
	struct str job, device;		/* selected job and device; .p is NULL for any */
	int64_t since, until;		/* microseconds */
	const char *to, *output;
	bool monotonic;
	unsigned given;			/* mask with a bit for each option that was given */
};

struct cat {
	const struct record_filter *filter;
	struct reading in;
	bool live;		/* --follow was given: print each record at once */
	struct print print;
	/*
	 * state of --to FORMAT if FORMAT has a line encoder; .encode.to is NULL for other output
	 */
	struct encode encode;
	bool copies;		/* print the records as a raw file */
	struct raw_copy copy;
	bool to_monitor;	/* let nodometer monitor write a recording */
	struct schemas schemas;
	bool has_job;		/* a record of the selected job was found */
	/* rates of the current host; a host's files come one after another */
	struct cat_rates *rates;
	struct buf host;
};

static void cat_flush(struct cat *c)
{
	reading_print(&c->in, &c->print.out);
}

/* Return whether a record belongs to the job. The job "-" stands for records without a job. */
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

/*
 * Return whether to print a type with --to FORMAT. Types with a row per process are left out unless
 * the user selects them.
 */
static bool cat_wants_encoded(void *arg, struct str type)
{
	const struct record_filter *f = arg;
	return f->n_types ? type_is_wanted(f, type) : type_is_listed(STR(""), type);
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
 * Return the record to print: g itself or, with --rates or --resample, a record computed from g.
 * Call this for every record, even if it is not printed, because the next rate is computed from its
 * counters.
 */
static const struct record *rated(struct cat *c, const struct record_source *from,
				  const struct record *g)
{
	struct str host = record_host(from, g);
	if (!c->filter->how.per_second && !c->filter->how.period_us)
		return g;
	if (!c->rates || !str_eq(host, buf_str(&c->host))) {
		cat_rates_free(c->rates);
		c->rates = cat_rates_new(&c->filter->how, cat_wants, (void *)c->filter);
		c->host.n = 0;
		buf_add(&c->host, host);
	}
	return cat_rates_of(c->rates, g, from);
}

static void put_schemas(struct cat *c, const struct record_source *source)
{
	if (c->filter->schema)
		schemas_put(&c->schemas, source, cat_wants, (void *)c->filter, &c->print.out);
}

/* Note which selected types a file has. A file may have a type without any row. */
static void look_at_types(struct cat *c, const struct record_source *from)
{
	const struct record_filter *f = c->filter;
	const struct record_type *has;
	for (size_t i = 0; (has = record_type_at(from, i)); i++)
		for (size_t k = 0; k < f->n_types; k++)
			if (str_eq(f->type[k].name, str_of(has->name)))
				f->type[k].seen = true;
}

static void cat_put_one(struct cat *c, const struct record_source *source, const struct record *g)
{
	bool wanted = cat_is_wanted(c->filter, g);
	if (c->encode.to)
		encode_put(&c->encode, source, g, wanted, &c->print.out);
	else if (wanted && c->copies)
		raw_copy_put(&c->copy, source, g, &c->print.out);
	else if (wanted)
		cat_put_record(c, g, record_host(source, g));
	if (c->live || c->print.out.n >= OUT_BYTES)
		cat_flush(c);
}

/* Print the wanted records of a source. Returns the number of records in the source. */
static size_t cat_put_records(struct cat *c, struct record_source *source)
{
	const struct record *g;
	size_t n = 0;

	c->print.table.layout = NULL;
	encode_begin_file(&c->encode);
	raw_copy_source(&c->copy);
	for (; record_next(source, &g) > 0; n++) {
		if (g->restart)
			put_schemas(c, source);
		if (c->filter->schema)
			continue;
		c->has_job |= c->filter->job.p && has_job(g, c->filter->job);
		cat_put_one(c, source, rated(c, source, g));
	}
	encode_end_file(&c->encode);
	put_schemas(c, source);
	look_at_types(c, source);
	cat_flush(c);
	return n;
}

static void cat_file(struct cat *c, const char *file, int fd)
{
	int again CLEANUP(close_fd) = c->copies ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
	struct stat st;

	if (!reading_open(&c->in, file, fd))
		return;
	c->live = strcmp(file, "-") == 0 && fstat(STDIN_FILENO, &st) == 0 && !S_ISREG(st.st_mode);
	size_t n = cat_put_records(c, &c->in.source);
	reading_close(&c->in);
	if (c->copies && c->in.failed && n == 0)
		convert_explain(file, again);
}

static void cat_leave_root(void)
{
	foreign_confine(NULL, 0, 0, &log_listener);
}

/*
 * Give up root, but keep the right to read all files: the files of an archive are opened one after
 * another, between which records are parsed, and any user may own the folder of a host.
 */
static void leave_root_for_folder(void)
{
	foreign_confine(NULL, PRIVILEGE_SEARCH, 0, &log_listener);
	foreign_may_read(&log_listener);
}

static void cat_files(struct cat *c, char *const *path, size_t n)
{
	struct named_files files = { path, n, NULL };
	c->encode.n_files = n;
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
	log_error("%s: %s", file, r == -ENOENT ? "no records of a host: expected DIR/HOST" :
		  strerror(-r));
	c->in.failed = true;
	follow_close(&f);
}

/*
 * List the files of an archive. If a program fetches the records from another machine or a
 * database, give up root only after this program has started, because it needs root's logins.
 */
static int list_archive(const struct record_filter *f, struct archive_file **file, size_t *n,
			struct buf *why)
{
	const struct answer_request q = { true, f->since, f->until, f->job };
	bool in_folder = archive_is_here(&f->from, f->dir);

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

/*
 * Open a file of an archive with the right to read all files. This right is dropped before the file
 * is parsed.
 */
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
	c->encode.n_files = n;
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
		cli_wrong(&cli, "--type: \"%s\" contains no type", arg);
}

/* Report each selected type that is neither in the files nor known to nodometer. */
static bool types_are_right(const struct record_filter *f)
{
	bool right = true;
	for (size_t i = 0; i < f->n_types; i++) {
		struct nearest near = { NULL, 0 };
		char *name = xstrdup(f->type[i].name);
		for (size_t k = 0; k < n_types; k++)
			nearest_try(&near, name, types[k]->name);
		if (!f->type[i].seen && !type_find(name)) {
			log_error("type %s: not in any of the files%s%s%s", name,
				  near.best ? "; did you mean \"" : "",
				  near.best ? near.best : "", near.best ? "\"?" : "");
			right = false;
		}
		free(name);
	}
	return right;
}

/*
 * Report if no record lists the selected job. Do not report if a time or host was selected, too,
 * because records of other times or hosts may list the job.
 */
static bool job_is_there(const struct cat *c)
{
	const struct record_filter *f = c->filter;
	bool all = f->since == INT64_MIN && f->until == INT64_MAX && !f->host;
	bool there = !f->job.p || f->schema || c->in.failed || c->has_job || !all;
	if (!there)
		log_error("job " STR_FMT ": no records in any of the files%s%s%s",
			  STR_ARG(f->job), f->dir ? "; \"nodometer jobs --dir " : "",
			  f->dir ? f->dir : "", f->dir ? "\" lists the jobs that they have" : "");
	return there;
}

/* Parse the period of --resample. Periods are counted from the epoch: days start at 0:00 UTC. */
static int64_t take_period(const char *text)
{
	char *end;
	errno = 0;
	double s = strtod(text, &end);
	if (errno || end == text || *end || !(s >= 1e-3 && s <= 1e9))
		cli_wrong(&cli, "--resample: \"%s\" is not a number of seconds", text);
	return (int64_t)(s * 1e6 + .5);
}

static void take_label(struct encode *e, const char *arg)
{
	struct line_label *l = &e->label[e->n_labels];
	if (e->n_labels == LINE_LABELS_MAX)
		cli_wrong(&cli, "too many labels: at most %d", LINE_LABELS_MAX);
	l->value = str_of(arg);
	if (!str_take_until(&l->value, '=', &l->name) || !line_label_is_name(l->name))
		cli_wrong(&cli, "--label %s: write NAME=VALUE, with a NAME of a-z, 0-9 and _", arg);
	e->n_labels++;
}

static void cat_take_option(struct record_filter *f, struct cat *c, int option, const char *arg)
{
	struct print *p = &c->print;
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
	case TYPE:
	case TYPES:  cat_take_types(f, arg); break;
	case DEVICE: f->device = str_of(arg); break;
	case SINCE:  f->since = cli_time(&cli, arg); break;
	case UNTIL:  f->until = cli_time(&cli, arg); break;
	case DIR_:   f->dir = arg; break;
	case HOST:   f->host = arg; break;
	case FOLLOW: f->follow = true; break;
	case FROM:   f->from.url = arg; break;
	case LOGIN:  f->from.login = arg; break;
	case TO:     f->to = arg; break;
	case MONOTONIC: f->monotonic = true; break;
	case LABEL:  take_label(&c->encode, arg); break;
	case OUTPUT: f->output = arg; break;
	}
}

/* Read the archive of this machine if the user names neither files nor an archive. */
static void cat_choose_archive(struct record_filter *f, int operands)
{
	if (operands == 0 && !f->from.url && !f->dir && !f->follow)
		f->dir = ARCHIVE;
}

/* Choose the format that --to names. */
static void cat_choose_format(struct cat *c, const struct record_filter *f)
{
	if (!f->to)
		return;
	struct str to = str_of(f->to);
	enum format format = f->monotonic ? N_FORMATS : cat_find_format(to);
	const char *left_out = format == TO_MONITOR ? program_left_out("monitor") : NULL;
	if (left_out) {
		log_error("--to monitor: nodometer-monitor is not built: configured with %s",
			  left_out);
		exit(CLI_FAILED);
	}
	if (str_eq(to, STR("pm"))) {
		log_error("--to pm: this format holds single TCP connections, which nodometer tcp "
			  "records; records of a node have only sums over connections");
		exit(CLI_FAILED);
	}
	if (format == TO_CSV || format == TO_JSONL)
		c->print.form = format == TO_CSV ? PRINT_CSV : PRINT_JSON;
	c->copies = format == TO_RAW;
	c->to_monitor = format == TO_MONITOR;
	if (format != N_FORMATS)
		return;
	c->encode.to = line_encoder_find(to);
	if (!c->encode.to)
		cli_wrong(&cli, "--to %s: unknown FORMAT", f->to);
	c->encode.progress = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
}

#define BIT(option) (1u << (option))

/* options that apply only to rows in JSON and CSV */
#define OF_ROWS (BIT(JSON) | BIT(CSV) | BIT(WIDE) | BIT(SCHEMA) | BIT(RATES) | BIT(RESAMPLE) | \
		 BIT(UNITS) | BIT(DEVICE))

/* Exit with a message if an option was given that the format does not support. */
static void cat_check_format(const struct cat *c, const struct record_filter *f)
{
	unsigned refused = BIT(LABEL) | BIT(OUTPUT);

	if (!f->to)
		refused |= BIT(MONOTONIC) | (f->given & (BIT(CSV) | BIT(WIDE)) ? 0 : BIT(EXACT));
	else if (c->encode.to)
		refused = OF_ROWS | BIT(OUTPUT);
	else if (c->copies)
		refused |= OF_ROWS | BIT(TYPE) | BIT(TYPES);
	else if (c->to_monitor)
		refused = ~(BIT(TO) | BIT(OUTPUT) | BIT(EXACT));
	if (!f->to && (f->given & refused))
		cli_wrong(&cli, "missing --to FORMAT");
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (f->given & refused & BIT(i))
			cli_wrong(&cli, "--to %s cannot be used with --%s", f->to, options[i].name);
	if (c->to_monitor && !f->output)
		cli_wrong(&cli, "--to monitor needs --output FILE");
}

static void cat_take_options(struct record_filter *f, struct cat *c, int argc, char **argv)
{
	const struct print *p = &c->print;
	const char *arg;
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		f->given |= BIT(o);
		cat_take_option(f, c, o, arg);
	}
	cli_check_times(&cli, f->since, f->until);
	cat_choose_format(c, f);
	cat_check_format(c, f);
	cat_choose_archive(f, argc - optind);
	bool all = f->dir || f->from.url;
	if (all && optind < argc)
		cli_wrong(&cli, "use one of --dir, --from and FILE");
	if (f->host && !all)
		cli_wrong(&cli, "--host needs --dir or --from");
	if (f->follow && argc - optind != 1)
		cli_wrong(&cli, "--follow needs one DIR/HOST");
	if (f->schema && (p->form == PRINT_WIDE || f->follow))
		cli_wrong(&cli, "--schema cannot be used with --wide or --follow");
	if (p->form == PRINT_WIDE && f->n_types != 1)
		cli_wrong(&cli, "--wide needs exactly one --type, because each type has its own "
			  "keys");
}

static void cat_begin(struct cat *c)
{
	const struct line_encoder *to = c->encode.to;
	if (to && to->begin)
		to->begin(&c->print.out);
	else if (!to && !c->copies)
		print_begin(&c->print);
}

/* Write the end of the output, unless a file could not be read, and flush the output. */
static void cat_end(struct cat *c)
{
	if (c->encode.to && c->encode.to->end && !c->in.failed)
		c->encode.to->end(&c->print.out);
	cat_flush(c);
	if (c->copy.left_out)
		log_warning("%" PRIu64 " rows were left out: they lack a value, which a raw file "
			    "cannot express", c->copy.left_out);
}

int main(int argc, char **argv)
{
	struct record_filter f = { .since = INT64_MIN, .until = INT64_MAX };
	struct cat c = {
		.filter = &f, .print.text = csv_cell,
		.encode = { .wants = cat_wants_encoded, .arg = &f },
		.in = { .before = encode_pause_progress, .arg = &c.encode },
	};

	log_open("nodometer cat", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	cat_take_options(&f, &c, argc, argv);
	if (c.to_monitor) {
		convert_to_monitor(f.output, argv + optind, (size_t)(argc - optind));
		return CLI_FAILED;
	}
	c.schemas.csv = c.print.form == PRINT_CSV;
	if (f.schema)
		schemas_put_head(&c.schemas, &c.print.out);
	else
		cat_begin(&c);
	if (f.dir || f.from.url)
		cat_archive(&c);
	else if (f.follow)
		follow_host(&c, argv[optind]);
	else
		cat_files(&c, argv + optind, (size_t)(argc - optind));
	cat_end(&c);
	c.in.failed |= !types_are_right(&f) || !job_is_there(&c);
	encode_free(&c.encode);
	raw_copy_free(&c.copy);
	cat_rates_free(c.rates);
	free(f.type);
	buf_free(&c.host);
	print_free(&c.print);
	schemas_free(&c.schemas);
	return c.in.failed ? CLI_FAILED : CLI_OK;
}
