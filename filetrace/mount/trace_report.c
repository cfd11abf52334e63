/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_report.c - nodometer trace report: who did what to which files, and what was slow */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"
#include "tracers/files/event_read.h"
#include "tracers/files/mount/program.h"
#include "tracers/files/mount/trace_forms.h"
#include "tracers/files/rms.h"

enum { JSON, HTML, MONITOR, INTERVAL };
static const struct cli_option options[] = {
	[JSON]     = { "json", NULL, "all files and processes, as one object: "
		       "share/nodometer/schemas/trace-1.json", '\0' },
	[HTML]     = { "html", "FILE", "a page for a browser there (\"-\" is standard output)",
		       '\0' },
	[MONITOR]  = { "monitor", "FILE", "write class RMS there, for nodometer monitor", '\0' },
	[INTERVAL] = { "interval", "S", "of --monitor: seconds (default: 10)", '\0' },
};

static const struct cli cli = {
	.command = "trace report",
	.operands = "FILE...",
	.about = "Sums up records of nodometer trace, CSV or JSON (\"-\" is standard input): by\n"
		 "operation, program, process and file, over time, with the slowest requests.",
	CLI_OPTIONS(options),
	.page = "nodometer-trace(1)",
};

struct reading {
	struct trace_sums sums;
	struct event_line line;
	uint64_t bad;
	struct rms rms;
	const char *monitor;		/* the recording, or NULL */
	uint32_t interval;
	const char *html;		/* the page, or NULL */
	bool json;
};

static void take_records(struct reading *r, struct str *text, bool last)
{
	int e = 0;
	while (text->n && e != -EAGAIN) {
		e = event_take(text, last, &r->line);
		if (e == -EMSGSIZE) {	/* no record has a quote that never ends */
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

static int read_records(struct reading *r, int fd)
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
		take_records(r, &text, n == 0);
		if (n == 0)
			return 0;
		memmove(b.p, text.p, text.n);
		b.n = text.n;
	}
}

static bool read_file(struct reading *r, const char *path)
{
	uint64_t records = r->sums.records, bad = r->bad;
	r->sums.at_end = false;
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int e = fd < 0 ? -errno : read_records(r, fd);
	if (fd > STDIN_FILENO)
		close(fd);
	r->sums.without_end += !r->sums.at_end;
	if (e < 0)
		log_error("%s: %s", path, strerror(-e));
	else if (r->bad > bad)
		log_error("%s: %" PRIu64 " lines are no records of nodometer trace, or not whole; "
			  "%" PRIu64 " are", path, r->bad - bad, r->sums.records - records);
	else if (r->sums.records == records)
		log_error("%s: no records", path);
	return e == 0 && r->bad == bad && r->sums.records > records;
}

static bool write_recording(struct reading *r)
{
	size_t left_out = 0;
	int fd = open(r->monitor, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int e = fd < 0 ? -errno : rms_write(&r->rms, r->interval, fd, &left_out);
	if (fd >= 0 && close(fd) < 0 && e == 0)
		e = -errno;
	if (e == -ENODATA)
		log_error("%s: no operation on a file was recorded", r->monitor);
	else if (e == -ERANGE)
		log_error("%s: the records are of too long a time: name a longer --interval",
			  r->monitor);
	else if (e < 0)
		log_error("%s: %s", r->monitor, strerror(-e));
	else if (left_out || r->rms.full)
		log_notice("%s: has the %d files with the most operations; %zu%s are left out",
			   r->monitor, RMS_FILES, left_out, r->rms.full ? " and more" : "");
	return e == 0;
}

static bool write_page(const char *path, const struct trace_sums *s)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	trace_put_page(&b, s);
	return cli_publish(strcmp(path, "-") == 0 ? NULL : path, buf_str(&b)) == CLI_OK;
}

/* The sums in the form that was asked for. */
static bool show(const struct reading *r)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	if (r->html)
		return write_page(r->html, &r->sums);
	if (r->json) {
		trace_put_json(&b, &r->sums);
		fwrite(b.p, 1, b.n, stdout);
	} else {
		trace_print_text(&r->sums);
	}
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	log_error("standard output: %s", strerror(errno));
	return false;
}

static void take_option(struct reading *r, int o, const char *arg)
{
	if (o == MONITOR)
		r->monitor = arg;
	else if (o == INTERVAL)
		r->interval = (uint32_t)cli_number(&cli, "interval", arg, 1, 86400);
	else if (o == HTML)
		r->html = arg;
	r->json |= o == JSON;
}

int trace_report_main(int argc, char **argv)
{
	struct reading r = { .interval = 10 };
	const char *arg;
	bool good = true;
	int o;
	while ((o = cli_next(&cli, argc, argv, &arg)) != CLI_END)
		take_option(&r, o, arg);
	if (optind == argc)
		cli_wrong(&cli, "which FILE?");
	if (r.json && r.html)
		cli_wrong(&cli, "--json and --html exclude each other");
	for (int i = optind; i < argc; i++)
		good = read_file(&r, argv[i]) && good;
	trace_sums_sort(&r.sums);
	if (r.sums.records)
		good = show(&r) && good;
	if (r.sums.records && r.monitor)
		good = write_recording(&r) && good;
	trace_sums_free(&r.sums);
	rms_free(&r.rms);
	event_line_free(&r.line);
	return good ? CLI_OK : CLI_FAILED;
}
