/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c - nodometer export: print records in the formats that other systems import */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include "archive/named_files.h"
#include "base/cli.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/system/foreign.h"
#include "data/reading.h"
#include "formats/line/line.h"
#include "formats/line/rates.h"
#include "schema/foreign.h"
#include "schema/type.h"
#include "schema/unfold.h"

#define OUT_BYTES   (256u << 10)
#define PROGRESS_NS 200000000

enum { TO, LABEL, TYPES, SINCE, UNTIL };
static const struct cli_option options[] = {
	[TO]    = { "to",    "FORMAT",     "the encoding; see below" },
	[LABEL] = { "label", "NAME=VALUE", "add this label to all values; may be repeated" },
	[TYPES] = { "types", "TYPE,...",   "only rows of these types (default: all but proc)" },
	[SINCE] = { "since", "TIME",       "only records from TIME on" },
	[UNTIL] = { "until", "TIME",       "only records up to TIME" },
};

static void print_formats(void)
{
	printf("\nFORMAT is one of:\n");
	for (size_t i = 0; i < n_line_encoders; i++)
		cli_print_row(stdout, 17, line_encoders[i]->name, line_encoders[i]->about);
}

static const struct cli cli = {
	.command = "export",
	.operands = "FILE...",
	.about = "Prints the records of raw files (plain, .gz, .zst; \"-\" is standard input) in\n"
		 "an encoding that other systems import. Wraps of counters are corrected.\n"
		 CLI_TIME,
	CLI_OPTIONS(options),
	.more = print_formats,
};

struct export {
	const struct line_encoder *to;
	struct line_label label[LINE_LABELS_MAX];
	size_t n_labels;
	struct buf types;	/* names of types separated by commas, or empty for the default */
	int64_t since, until;	/* microseconds */

	struct reading in;
	size_t n_files, done;
	bool progress;
	int64_t shown_ns;
	uint64_t n;		/* number of records */
	/* unfolded counters of the current host, whose files come one after another */
	struct unfold *unfold;
	struct buf host, head, out;
	struct rates rates;	/* rates of the current host */
	struct line_whole whole;
};

static void export_show_progress(struct export *e, bool now)
{
	int64_t at = monotonic_ns();
	if (!e->progress || (!now && at - e->shown_ns < PROGRESS_NS))
		return;
	e->shown_ns = at;
	fprintf(stderr, "\r%zu of %zu files, %" PRIu64 " records", e->done, e->n_files, e->n);
}

static void end_progress(struct export *e)
{
	if (!e->progress)
		return;
	export_show_progress(e, true);
	fputc('\n', stderr);
	e->progress = false;
}

/* End the line that shows the progress, because another line follows. */
static void pause_progress(void *arg)
{
	struct export *e = arg;
	bool was = e->progress;
	end_progress(e);
	e->progress = was;
}

static void export_take_types(struct export *e, const char *arg)
{
	struct str rest = str_of(arg), name;
	e->types.n = 0;
	while (str_take_item(&rest, &name))
		buf_addf(&e->types, "%s" STR_FMT, e->types.n ? "," : "",
			 STR_ARG(foreign_type(name)));
}

static bool export_is_wanted(void *arg, struct str type)
{
	const struct export *e = arg;
	return type_is_listed(buf_str(&e->types), type);
}

/* Start another host: its counters are unrelated. */
static void export_begin_host(struct export *e, struct str host)
{
	if (e->unfold && str_eq(host, buf_str(&e->host)))
		return;
	unfold_free(e->unfold);
	rates_free(&e->rates);
	e->rates = (struct rates){ .n = 0 };
	e->unfold = unfold_new(export_is_wanted, e);
	e->host.n = 0;
	buf_add(&e->host, host);
}

static void export_put_records(struct export *e, const struct record_source *from)
{
	const struct record *r;
	raw_copy_source(&e->whole.copy);
	while (record_next(from, &r) > 0) {
		export_begin_host(e, record_host(from, r));
		struct line_node node = { buf_str(&e->host), e->label, e->n_labels, &e->rates,
					  &e->whole };
		e->whole.from = from;
		e->whole.record = r;
		const struct record *u = unfold(e->unfold, r, from);
		if (r->usec < e->since || r->usec > e->until)
			continue;
		if (line_head_due(e->to, &node, u, &e->head))
			buf_add(&e->out, buf_str(&e->head));
		e->to->put(&e->out, &node, u);
		e->n++;
		if (e->out.n >= OUT_BYTES)
			reading_print(&e->in, &e->out);
		export_show_progress(e, false);
	}
	if (e->unfold)
		unfold_sweep(e->unfold);
}

static void export_file(struct export *e, const char *file, int fd)
{
	if (!reading_open(&e->in, file, fd))
		return;
	export_put_records(e, &e->in.source);
	reading_close(&e->in);
	e->done++;
}

static bool is_label_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		if (!(c >= 'a' && c <= 'z') && c != '_' && !(i && c >= '0' && c <= '9'))
			return false;
	}
	return name.n > 0;
}

static void take_label(struct export *e, const char *arg)
{
	struct line_label *l = &e->label[e->n_labels];
	if (e->n_labels == LINE_LABELS_MAX)
		cli_wrong(&cli, "more than %d labels", LINE_LABELS_MAX);
	l->value = str_of(arg);
	if (!str_take_until(&l->value, '=', &l->name) || !is_label_name(l->name))
		cli_wrong(&cli, "--label %s: want NAME=VALUE, a NAME of a-z, 0-9 and _", arg);
	e->n_labels++;
}

static void export_take_options(struct export *e, int argc, char **argv)
{
	const char *arg;
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		switch (o) {
		case TO:
			e->to = line_encoder_find(str_of(arg));
			if (!e->to)
				cli_wrong(&cli, "--to %s: no such FORMAT", arg);
			break;
		case LABEL:
			take_label(e, arg);
			break;
		case TYPES:
			export_take_types(e, arg);
			break;
		case SINCE:
			e->since = cli_time(&cli, arg);
			break;
		case UNTIL:
			e->until = cli_time(&cli, arg);
			break;
		}
	}
	cli_check_times(&cli, e->since, e->until);
	if (!e->to)
		cli_wrong(&cli, "--to is missing");
	if (optind == argc)
		cli_wrong(&cli, "no FILE is named");
}

int main(int argc, char **argv)
{
	struct export e = { .until = INT64_MAX, .in = { .before = pause_progress, .arg = &e } };

	log_open("nodometer export", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	export_take_options(&e, argc, argv);
	e.n_files = (size_t)(argc - optind);
	e.progress = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
	if (e.to->begin)
		e.to->begin(&e.out);
	struct named_files files = { argv + optind, e.n_files, NULL };
	named_files_open(&files);
	foreign_confine(NULL, 0, 0, &log_listener);
	for (size_t i = 0; i < files.n; i++)
		export_file(&e, files.path[i], named_files_take(&files, i));
	named_files_free(&files);
	if (e.to->end && !e.in.failed)	/* do not end an incomplete output as if it were whole */
		e.to->end(&e.out);
	reading_print(&e.in, &e.out);
	end_progress(&e);
	unfold_free(e.unfold);
	rates_free(&e.rates);
	raw_copy_free(&e.whole.copy);
	buf_free(&e.types);
	buf_free(&e.host);
	buf_free(&e.head);
	buf_free(&e.out);
	return e.in.failed ? CLI_FAILED : CLI_OK;
}
