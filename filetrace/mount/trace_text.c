/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_text.c - the report on recorded operations as text */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/utf8.h"
#include "filetrace/mount/trace_forms.h"

#define TOP 10
#define RATE_ROWS 12

/*
 * Print a path. Cut off the front of a long one, because the end is more specific. Returns the
 * number of columns.
 */
static int trace_text_print_path(const char *path, int width)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_add(&b, str_of(*path ? path : "(no name)"));
	utf8_make_printable(b.p, b.n);
	struct str s = buf_str(&b);
	bool cut = s.n > (size_t)width;
	if (cut)
		s = str_skip(s, s.n - (size_t)width + 3);
	/* skip the remaining bytes of a UTF-8 character */
	while (cut && s.n && ((unsigned char)*s.p & 0xc0) == 0x80)
		s = str_skip(s, 1);
	return printf("%s" STR_FMT, cut ? "..." : "", STR_ARG(s));
}

/* Print "22902 /usr/bin/bash". The number is never shortened. Returns the number of columns. */
static int trace_text_print_process(const char *process, int width)
{
	const char *blank = strchr(process, ' ');
	int digits = blank ? (int)(blank - process) + 1 : 0;
	printf("%.*s", digits, process);
	return digits + trace_text_print_path(process + digits, width - digits);
}

static void trace_text_print_operations(const struct trace_sums *s)
{
	char total[TRACE_TEXT], mean[TRACE_TEXT], longest[TRACE_TEXT];
	printf("\n%-16s %10s %10s %12s %12s %12s\n", "Operation", "requests",
	       s->results ? "failed" : "", "time", "mean", "longest");
	for (size_t i = 0; i < OPERATIONS; i++)
		if (s->by_op[i].n) {
			char failed[TRACE_TEXT] = "";
			if (s->results)
				snprintf(failed, sizeof(failed), "%" PRIu64, s->by_op[i].failed);
			printf("%-16s %10" PRIu64 " %10s %12s %12s %12s\n", operation_name(i),
			       s->by_op[i].n, failed, trace_ns_text(total, s->by_op[i].ns),
			       trace_ns_text(mean, s->by_op[i].ns / (int64_t)s->by_op[i].n),
			       trace_ns_text(longest, s->by_op[i].longest));
		}
}

static void trace_text_print_top(const char *title, const struct trace_sum *sum, size_t n,
				 int (*print)(const char *name, int width))
{
	char time[TRACE_TEXT], read[TRACE_TEXT], written[TRACE_TEXT];
	printf("\n%9s %10s %10s %10s  %s\n", "requests", "read", "written", "time", title);
	for (size_t i = 0; i < n && i < TOP; i++) {
		printf("%9" PRIu64 " %10s %10s %10s  ", sum[i].ops,
		       trace_bytes_text(read, sum[i].read),
		       trace_bytes_text(written, sum[i].written),
		       trace_ns_text(time, sum[i].ns));
		print(sum[i].name, 36);
		putchar('\n');
	}
	if (n > TOP)
		printf("%9s and %zu more: --json has all\n", "", n - TOP);
}

static void trace_text_print_share(const char *what, uint64_t n, uint64_t of, const char *of_what)
{
	if (of)
		printf("  %-26s %10" PRIu64 "  %5.1f %% of %s\n", what, n,
		       100 * (double)n / (double)of, of_what);
}

static void trace_text_print_percentiles(const struct histogram *h, bool time)
{
	char text[TRACE_TEXT];
	for (size_t i = 0; i < TRACE_PERCENTILES; i++) {
		uint64_t v = histogram_percentile(h, trace_percentiles[i].percent);
		printf(" %9s", h->total == 0 ? "" : time ? trace_ns_text(text, (int64_t)v) :
		       trace_bytes_text(text, v));
	}
}

/* Print the percentiles p50, p90 and p99 of the sizes and durations of requests. */
static void trace_text_print_use(const struct trace_use *u)
{
	static const struct histogram none;
	printf("\n%-9s %9s %9s %9s %9s %9s %9s %9s\n", "", "requests", "size: p50", "p90", "p99",
	       "time: p50", "p90", "p99");
	for (int i = 0; i < PARTS; i++) {
		if (u->ns[i].total == 0)
			continue;
		printf("%-9s %9" PRIu64, part_names[i], u->ns[i].total);
		trace_text_print_percentiles(i < PART_META ? &u->size[i] : &none, false);
		trace_text_print_percentiles(&u->ns[i], true);
		putchar('\n');
	}
}

static void trace_text_print_ranges(const char *title, const struct trace_range *range, size_t n,
				    const struct histogram *h, int parts)
{
	printf("\n%-20s", title);
	for (int k = 0; k < parts; k++)
		printf(" %10s", part_names[k]);
	putchar('\n');
	for (size_t i = 0; i < n; i++) {
		uint64_t count[PARTS], any = 0;
		for (int k = 0; k < parts; k++) {
			count[k] = histogram_between(&h[k], range[i].from,
						     trace_range_end(range, n, i));
			any += count[k];
		}
		if (any == 0)
			continue;
		printf("%-20s", range[i].name);
		for (int k = 0; k < parts; k++)
			printf(" %10" PRIu64, count[k]);
		putchar('\n');
	}
}

/* Print the bytes over time. Steps are merged to at most RATE_ROWS rows. */
static void trace_text_print_rates(const struct byte_rates *r)
{
	size_t together = (r->n + RATE_ROWS - 1) / RATE_ROWS;
	char from[TRACE_TEXT], read[TRACE_TEXT], written[TRACE_TEXT];

	if (r->n == 0)
		return;
	printf("\n%-12s %14s %14s\n", "after", "read/s", "written/s");
	for (size_t i = 0; i < r->n; i += together) {
		uint64_t in = 0, out = 0;
		size_t k = i;
		for (; k < r->n && k < i + together; k++) {
			in += r->step[k].read;
			out += r->step[k].written;
		}
		double seconds = (double)r->width * (double)(k - i) / 1e9;
		printf("%-12s %14s %14s\n", trace_ns_text(from, (int64_t)i * r->width),
		       trace_bytes_text(read, (uint64_t)((double)in / seconds)),
		       trace_bytes_text(written, (uint64_t)((double)out / seconds)));
	}
}

static void trace_text_print_words(const struct trace_table *files, const char *title,
				   const char *what, int width,
				   const char *(*words)(char text[TRACE_WORDS],
							const struct trace_sum *f))
{
	char text[TRACE_WORDS];
	size_t shown = 0;
	for (size_t i = 0; i < files->n; i++) {
		if (!*words(text, &files->sum[i]) || shown++ >= TOP)
			continue;
		if (shown == 1)
			printf("\n%-*s %s\n", width, title, what);
		printf("%-*s ", width, text);
		trace_text_print_path(files->sum[i].name, 76 - width);
		putchar('\n');
	}
	if (shown > TOP)
		printf("%9s and %zu more: --json has all\n", "", shown - TOP);
}

static void trace_text_print_losses(const struct trace_sums *s)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	trace_put_losses(&b, s);
	printf("  %-29s " STR_FMT "\n", "records that were lost", STR_ARG(buf_str(&b)));
}

void trace_print_text(const struct trace_sums *s)
{
	char span[TRACE_TEXT], ns[TRACE_TEXT];
	printf("%" PRIu64 " requests that reached the file system, over %s\n", s->records,
	       trace_ns_text(span, s->last - s->first));
	trace_text_print_losses(s);
	trace_text_print_share("without data (metadata)", s->records - s->data, s->records, "all");
	trace_text_print_share("small, under 4 KiB", s->small, s->data, "reads and writes");
	trace_text_print_share("not where the last ended", s->jumps, s->data, "reads and writes");
	if (s->results)
		trace_text_print_share("names that are not there", s->missing, s->by_op[OP_STAT].n,
				       "stat");
	else
		puts("  names that are not there      unknown: recorded without --result");
	trace_text_print_operations(s);
	trace_text_print_use(&s->all);
	trace_text_print_ranges("size", trace_sizes, TRACE_SIZES, s->all.size, PART_META);
	trace_text_print_ranges("time", trace_times, TRACE_TIMES, s->all.ns, PARTS);
	trace_text_print_rates(&s->rates);
	trace_text_print_top("program", s->by_program.sum, s->by_program.n, trace_text_print_path);
	trace_text_print_top("process", s->by_process.sum, s->by_process.n,
			     trace_text_print_process);
	trace_text_print_top("file", s->by_file.sum, s->by_file.n, trace_text_print_path);
	trace_text_print_words(&s->by_file, "order of requests", "file", 40, trace_pattern_text);
	trace_text_print_words(&s->by_file, "by", "shared file", 46, trace_sharing_text);
	printf("\n%10s  %-11s %-30s %s\n", "slowest", "operation", "file", "process");
	for (const struct slow *w = s->slowest; w < s->slowest + SLOWEST && w->path; w++) {
		printf("%10s  %-11s ", trace_ns_text(ns, w->ns), operation_name(w->op));
		printf("%*s", 31 - trace_text_print_path(w->path, 30), "");
		trace_text_print_process(w->process, 23);
		putchar('\n');
	}
}
