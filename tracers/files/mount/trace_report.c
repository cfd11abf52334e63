/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_report.c - nodometer trace report: who did what to which files, and what was slow */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/json.h"
#include "base/log.h"
#include "base/utf8.h"
#include "tracers/files/event_read.h"
#include "tracers/files/mount/program.h"
#include "tracers/files/rms.h"
#include "tracers/files/trace_sums.h"

#define TOP 10

enum { JSON, MONITOR, INTERVAL };
static const struct cli_option options[] = {
	[JSON]     = { "json", NULL, "all files and processes, as one object", '\0' },
	[MONITOR]  = { "monitor", "FILE", "write class RMS there, for nodometer monitor", '\0' },
	[INTERVAL] = { "interval", "S", "of --monitor: seconds (default: 10)", '\0' },
};

static const struct cli cli = {
	.command = "trace report",
	.operands = "FILE...",
	.about = "Sums up records of nodometer trace, CSV or JSON (\"-\" is standard input): by\n"
		 "operation, process and file, with the slowest requests.",
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
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int e = fd < 0 ? -errno : read_records(r, fd);
	if (fd > STDIN_FILENO)
		close(fd);
	if (e < 0)
		log_error("%s: %s", path, strerror(-e));
	else if (r->bad > bad)
		log_error("%s: %" PRIu64 " lines are no records of nodometer trace, or not whole; "
			  "%" PRIu64 " are", path, r->bad - bad, r->sums.records - records);
	else if (r->sums.records == records)
		log_error("%s: no records", path);
	return e == 0 && r->bad == bad && r->sums.records > records;
}

/* "12.3 ms": each unit is so many of the one before. */
static const char *put_scaled(char text[24], double v, double step, const char *const *unit)
{
	size_t i = 0;
	for (; unit[i + 1] && v >= step; i++)
		v /= step;
	snprintf(text, 24, i ? "%.4g %s" : "%.0f %s", v, unit[i]);
	return text;
}

static const char *put_ns(char text[24], int64_t ns)
{
	static const char *const unit[] = { "ns", "us", "ms", "s", NULL };
	return put_scaled(text, (double)ns, 1000, unit);
}

static const char *put_bytes(char text[24], uint64_t bytes)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL };
	return put_scaled(text, (double)bytes, 1024, unit);
}

/* The end of a long name says more than its start. Returns how many columns it took. */
static int print_path(const char *path, int width)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_add(&b, str_of(*path ? path : "(no name)"));
	utf8_make_printable(b.p, b.n);
	struct str s = buf_str(&b);
	bool cut = s.n > (size_t)width;
	if (cut)
		s = str_skip(s, s.n - (size_t)width + 3);
	while (cut && s.n && ((unsigned char)*s.p & 0xc0) == 0x80)	/* inside a character */
		s = str_skip(s, 1);
	return printf("%s" STR_FMT, cut ? "..." : "", STR_ARG(s));
}

/* "22902 /usr/bin/bash": the number is never cut. */
static int print_process(const char *process, int width)
{
	const char *blank = strchr(process, ' ');
	int digits = blank ? (int)(blank - process) + 1 : 0;
	printf("%.*s", digits, process);
	return digits + print_path(process + digits, width - digits);
}

static void print_operations(const struct trace_sums *s)
{
	char total[24], mean[24], longest[24];
	printf("\n%-16s %10s %10s %12s %12s %12s\n", "Operation", "requests",
	       s->results ? "failed" : "", "time", "mean", "longest");
	for (size_t i = 0; i < OPERATIONS; i++)
		if (s->by_op[i].n) {
			char failed[24] = "";
			if (s->results)
				snprintf(failed, sizeof(failed), "%" PRIu64, s->by_op[i].failed);
			printf("%-16s %10" PRIu64 " %10s %12s %12s %12s\n", operation_name(i),
			       s->by_op[i].n, failed, put_ns(total, s->by_op[i].ns),
			       put_ns(mean, s->by_op[i].ns / (int64_t)s->by_op[i].n),
			       put_ns(longest, s->by_op[i].longest));
		}
}

static void print_top(const char *title, const struct trace_sum *sum, size_t n,
		      int (*print)(const char *name, int width))
{
	char time[24], read[24], written[24];
	printf("\n%9s %10s %10s %10s  %s\n", "requests", "read", "written", "time", title);
	for (size_t i = 0; i < n && i < TOP; i++) {
		printf("%9" PRIu64 " %10s %10s %10s  ", sum[i].ops, put_bytes(read, sum[i].read),
		       put_bytes(written, sum[i].written), put_ns(time, sum[i].ns));
		print(sum[i].name, 36);
		putchar('\n');
	}
	if (n > TOP)
		printf("%9s and %zu more: --json has all\n", "", n - TOP);
}

static void print_share(const char *what, uint64_t n, uint64_t of, const char *of_what)
{
	if (of)
		printf("  %-26s %10" PRIu64 "  %5.1f %% of %s\n", what, n,
		       100 * (double)n / (double)of, of_what);
}

static void print_page(const struct trace_sums *s)
{
	char span[24], ns[24];
	printf("%" PRIu64 " requests that reached the file system, over %s\n", s->records,
	       put_ns(span, s->last - s->first));
	print_share("without data (metadata)", s->records - s->data, s->records, "all");
	print_share("small, under 4 KiB", s->small, s->data, "reads and writes");
	print_share("not where the last ended", s->jumps, s->data, "reads and writes");
	if (s->results)
		print_share("names that are not there", s->missing, s->by_op[OP_STAT].n, "stat");
	else
		puts("  names that are not there      unknown: recorded without --result");
	print_operations(s);
	print_top("process", s->by_process.sum, s->by_process.n, print_process);
	print_top("file", s->by_file.sum, s->by_file.n, print_path);
	printf("\n%10s  %-11s %-30s %s\n", "slowest", "operation", "file", "process");
	for (const struct slow *w = s->slowest; w < s->slowest + SLOWEST && w->path; w++) {
		printf("%10s  %-11s ", put_ns(ns, w->ns), operation_name(w->op));
		printf("%*s", 31 - print_path(w->path, 30), "");
		print_process(w->process, 23);
		putchar('\n');
	}
}

static void put_json_sums(struct buf *b, const char *name, const struct trace_sum *sum, size_t n)
{
	json_open(b, name, '[');
	for (size_t i = 0; i < n; i++) {
		json_open(b, NULL, '{');
		json_str(b, "name", str_of(sum[i].name));
		json_u64(b, "requests", sum[i].ops);
		json_u64(b, "metadata", sum[i].meta);
		json_u64(b, "read", sum[i].read);
		json_u64(b, "written", sum[i].written);
		json_int(b, "ns", sum[i].ns);
		json_close(b, '}');
	}
	json_close(b, ']');
}

static void print_json(const struct trace_sums *s)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	json_open(&b, NULL, '{');
	json_u64(&b, "requests", s->records);
	json_int(&b, "ns", s->last - s->first);
	json_u64(&b, "data", s->data);
	json_u64(&b, "small", s->small);
	json_u64(&b, "jumps", s->jumps);
	if (s->results)
		json_u64(&b, "missing_names", s->missing);
	else
		json_null(&b, "missing_names");
	json_open(&b, "operations", '{');
	for (size_t i = 0; i < OPERATIONS; i++)
		if (s->by_op[i].n) {
			json_open(&b, operation_name(i), '{');
			json_u64(&b, "requests", s->by_op[i].n);
			if (s->results)
				json_u64(&b, "failed", s->by_op[i].failed);
			else
				json_null(&b, "failed");
			json_int(&b, "ns", s->by_op[i].ns);
			json_int(&b, "longest_ns", s->by_op[i].longest);
			json_close(&b, '}');
		}
	json_close(&b, '}');
	put_json_sums(&b, "processes", s->by_process.sum, s->by_process.n);
	put_json_sums(&b, "files", s->by_file.sum, s->by_file.n);
	json_close(&b, '}');
	buf_add_char(&b, '\n');
	fwrite(b.p, 1, b.n, stdout);
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

static bool take_option(struct reading *r, int o, const char *arg)
{
	if (o == MONITOR)
		r->monitor = arg;
	else if (o == INTERVAL)
		r->interval = (uint32_t)cli_number(&cli, "interval", arg, 1, 86400);
	return o == JSON;
}

int trace_report_main(int argc, char **argv)
{
	struct reading r = { .interval = 10 };
	const char *arg;
	bool json = false, good = true;
	int o;
	while ((o = cli_next(&cli, argc, argv, &arg)) != CLI_END)
		json |= take_option(&r, o, arg);
	if (optind == argc)
		cli_wrong(&cli, "which FILE?");
	for (int i = optind; i < argc; i++)
		good = read_file(&r, argv[i]) && good;
	trace_sums_sort(&r.sums);
	if (r.sums.records && json)
		print_json(&r.sums);
	else if (r.sums.records)
		print_page(&r.sums);
	if (r.sums.records && r.monitor)
		good = write_recording(&r) && good;
	trace_sums_free(&r.sums);
	rms_free(&r.rms);
	event_line_free(&r.line);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		log_error("standard output: %s", strerror(errno));
		good = false;
	}
	return good ? CLI_OK : CLI_FAILED;
}
