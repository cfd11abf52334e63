/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_report.c - nodometer trace report: sum up recorded operations on files */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/foreign.h"
#include "filetrace/event_read.h"
#include "filetrace/mount/program.h"
#include "filetrace/mount/trace_forms.h"
#include "filetrace/rms.h"

enum { JSON, HTML, MONITOR, INTERVAL };
static const struct cli_option options[] = {
	[JSON]     = { "json", NULL, "print one object: "
		       "share/nodometer/schemas/trace-1.json", '\0' },
	[HTML]     = { "html", "FILE", "write an HTML page to FILE (\"-\" is standard output)",
		       '\0' },
	[MONITOR]  = { "monitor", "FILE", "write class RMS to FILE, for nodometer monitor", '\0' },
	[INTERVAL] = { "interval", "S", "with --monitor: interval in seconds (default 10)", '\0' },
};

static const struct cli cli = {
	.command = "trace report",
	.operands = "FILE...",
	.about = "Summarizes records of nodometer trace, CSV or JSON (\"-\" is standard input),\n"
		 "by operation, program, process, file and time, with the slowest requests.",
	CLI_OPTIONS(options),
	.page = "nodometer-trace(1)",
};

struct trace_reading {
	struct trace_sums sums;
	struct event_line line;
	uint64_t bad;
	struct rms rms;
	const char *monitor;		/* path of the MONITOR recording to write, or NULL */
	uint32_t interval;
	const char *html;		/* path of the HTML page to write, or NULL */
	/*
	 * descriptors of the two outputs, which root opens before it reads any record; -1: no
	 * output
	 */
	int monitor_file, html_file;
	bool json;
};

static void report_add_records(struct trace_reading *r, struct str *text, bool last)
{
	int e = 0;
	while (text->n && e != -EAGAIN) {
		e = event_parse(text, last, &r->line);
		if (e == -EMSGSIZE) {	/* the record has a quoted field that never ends */
			r->bad++;
			*text = str_skip(*text, text->n);
		} else if (e == 0) {
			trace_sums_add(&r->sums, &r->line.e, r->line.has_result);
			if (r->monitor)
				rms_add(&r->rms, &r->line.e);
		} else if (e != -EAGAIN) {
			r->bad++;
		}
	}
}

static int report_read_records(struct trace_reading *r, int fd)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	for (;;) {
		buf_reserve(&b, 1 << 16);
		ssize_t n = read(fd, b.p + b.n, 1 << 16);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		b.n += (size_t)n;
		struct str text = buf_str(&b);
		report_add_records(r, &text, n == 0);
		if (n == 0)
			return 0;
		memmove(b.p, text.p, text.n);
		b.n = text.n;
	}
}

static int report_open_input(const char *path)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static bool report_read_file(struct trace_reading *r, const char *path, int fd)
{
	uint64_t records = r->sums.records, bad = r->bad;
	bool stated = r->sums.states_losses;	/* an earlier file has stated losses */
	r->sums.at_end = r->sums.states_losses = false;
	int e = fd < 0 ? fd : report_read_records(r, fd);
	if (fd > STDIN_FILENO)
		close(fd);
	r->sums.without_end += r->sums.states_losses && !r->sums.at_end;
	r->sums.states_losses |= stated;
	if (e < 0)
		log_error("%s: %s", path, strerror(-e));
	else if (r->bad > bad)
		log_error("%s: %" PRIu64 " lines are not complete records of nodometer trace; "
			  "%" PRIu64 " are", path, r->bad - bad, r->sums.records - records);
	else if (r->sums.records == records)
		log_error("%s: no records", path);
	return e == 0 && r->bad == bad && r->sums.records > records;
}

static bool report_write_recording(struct trace_reading *r)
{
	size_t left_out = 0;
	int fd = r->monitor_file;
	if (fd < 0)
		fd = open(r->monitor, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	int e = fd < 0 || (ftruncate(fd, 0) < 0 && errno != EINVAL) ? -errno :
		rms_write(&r->rms, r->interval, fd, &left_out);
	if (fd >= 0 && close(fd) < 0 && e == 0)
		e = -errno;
	if (e == -ENODATA)
		log_error("%s: no operation on a file was recorded", r->monitor);
	else if (e == -ERANGE)
		log_error("%s: the records cover too long a time: use a longer --interval",
			  r->monitor);
	else if (e < 0)
		log_error("%s: %s", r->monitor, strerror(-e));
	else if (left_out || r->rms.full)
		log_notice("%s: has the %d files with the most operations; %zu%s are left out",
			   r->monitor, RMS_FILES, left_out, r->rms.full ? " and more" : "");
	return e == 0;
}

static bool report_write_page(const struct trace_reading *r)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	trace_put_page(&b, &r->sums);
	if (r->html_file < 0)
		return cli_publish(cli_is_file(r->html) ? r->html : NULL,
				   buf_str(&b)) == CLI_OK;
	int e = files_rewrite(r->html_file, buf_str(&b));
	if (e < 0)
		log_error("%s: %s", r->html, strerror(-e));
	return e == 0;
}

/* Print the sums in the requested form. */
static bool report_print(const struct trace_reading *r)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	if (r->html)
		return report_write_page(r);
	if (r->json) {
		trace_put_json(&b, &r->sums);
		fwrite(b.p, 1, b.n, stdout);
	} else {
		trace_print_text(&r->sums);
	}
	return cli_flush() == CLI_OK;
}

static void report_set_option(struct trace_reading *r, int o, const char *arg)
{
	if (o == MONITOR)
		r->monitor = arg;
	else if (o == INTERVAL)
		r->interval = (uint32_t)cli_number(&cli, "interval", arg, 1, 86400);
	else if (o == HTML)
		r->html = arg;
	r->json |= o == JSON;
}

/* Open the outputs as root, before the process becomes a user without permission to write there. */
static bool report_open_outputs(struct trace_reading *r)
{
	if (cli_is_file(r->html) && (r->html_file = cli_open_output(r->html)) < 0)
		return false;
	return !r->monitor || (r->monitor_file = cli_open_output(r->monitor)) >= 0;
}

/*
 * Read all files. As root, open all files, then become another user, and only then read the first
 * byte.
 */
static bool report_read_files(struct trace_reading *r, char *const *path, size_t n)
{
	const char *const outputs[] = { cli_is_file(r->html) ? r->html : r->monitor,
				       r->monitor, NULL };
	bool is_root = geteuid() == 0, good = true, any = false;
	int *fd = is_root ? xrealloc(NULL, n * sizeof(*fd)) : NULL;
	for (size_t i = 0; is_root && i < n; i++) {
		fd[i] = report_open_input(path[i]);
		any |= fd[i] >= 0;
	}
	if (any && !report_open_outputs(r)) {
		free(fd);
		return false;
	}
	/* gnuplot, which draws the charts of a page, must be able to run */
	foreign_confine(outputs, 0, r->html ? MAY_RUN | MAY_SIGNAL : 0, &log_listener);
	for (size_t i = 0; i < n; i++)
		good = report_read_file(r, path[i],
					is_root ? fd[i] : report_open_input(path[i])) && good;
	free(fd);
	return good;
}

int trace_report_main(int argc, char **argv)
{
	struct trace_reading r = { .interval = 10, .monitor_file = -1, .html_file = -1 };
	const char *arg;
	int o;
	while ((o = cli_next(&cli, argc, argv, &arg)) != CLI_END)
		report_set_option(&r, o, arg);
	if (optind == argc)
		cli_wrong(&cli, "missing FILE");
	if (r.json && r.html)
		cli_wrong(&cli, "--json cannot be used with --html");
	bool good = report_read_files(&r, argv + optind, (size_t)(argc - optind));
	trace_sums_sort(&r.sums);
	if (r.sums.records)
		good = report_print(&r) && good;
	if (r.sums.records && r.monitor)
		good = report_write_recording(&r) && good;
	trace_sums_free(&r.sums);
	rms_free(&r.rms);
	event_line_free(&r.line);
	return good ? CLI_OK : CLI_FAILED;
}
