/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_forms.c - numbers and words shared by the output forms of the report on operations */
#include "filetrace/mount/trace_forms.h"

#include <inttypes.h>
#include <stdio.h>

const struct trace_percentile trace_percentiles[TRACE_PERCENTILES] = {
	{ "p50", 50 }, { "p90", 90 }, { "p99", 99 },
};

/*
 * Ranges similar to Darshan's, but divided at powers of two, because the histograms are exact
 * there.
 */
const struct trace_range trace_sizes[TRACE_SIZES] = {
	{ 0,        "under 512 B" },        { 512,       "512 B to 4 KiB" },
	{ 4096,     "4 KiB to 16 KiB" },    { 1 << 14,   "16 KiB to 64 KiB" },
	{ 1 << 16,  "64 KiB to 256 KiB" },  { 1 << 18,   "256 KiB to 1 MiB" },
	{ 1 << 20,  "1 MiB to 4 MiB" },     { 1 << 22,   "4 MiB to 16 MiB" },
	{ 1 << 24,  "16 MiB to 1 GiB" },    { 1 << 30,   "1 GiB and more" },
};
const struct trace_range trace_times[TRACE_TIMES] = {
	{ 0,                 "under 8 us" },       { 1 << 13,           "8 us to 65 us" },
	{ 1 << 16,           "65 us to 0.5 ms" },  { 1 << 19,           "0.5 ms to 4 ms" },
	{ 1 << 22,           "4 ms to 33 ms" },    { 1 << 25,           "33 ms to 0.27 s" },
	{ 1 << 28,           "0.27 s to 2.1 s" },  { (uint64_t)1 << 31, "2.1 s and more" },
};

/* Format v in the largest unit that fits. Each unit is `step` times the unit before it. */
static const char *trace_scaled_text(char text[TRACE_TEXT], double v, double step,
				     const char *const *unit)
{
	size_t i = 0;
	for (; unit[i + 1] && v >= step; i++)
		v /= step;
	snprintf(text, TRACE_TEXT, i ? "%.4g %s" : "%.0f %s", v, unit[i]);
	return text;
}

const char *trace_ns_text(char text[TRACE_TEXT], int64_t ns)
{
	static const char *const unit[] = { "ns", "us", "ms", "s", NULL };
	return trace_scaled_text(text, (double)ns, 1000, unit);
}

const char *trace_bytes_text(char text[TRACE_TEXT], uint64_t bytes)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL };
	return trace_scaled_text(text, (double)bytes, 1024, unit);
}

const char *trace_pattern_text(char text[TRACE_WORDS], const struct trace_sum *f)
{
	snprintf(text, TRACE_WORDS, "%s%s%s%s%s", f->reads ? "reads " : "",
		 f->reads ? order_names[f->reads] : "", f->reads && f->writes ? ", " : "",
		 f->writes ? "writes " : "", f->writes ? order_names[f->writes] : "");
	return text;
}

const char *trace_sharing_text(char text[TRACE_WORDS], const struct trace_sum *f)
{
	static const char *const how[SHARINGS] = {
		[SHARING_READ_WHOLE]        = "read all of it",
		[SHARING_READ_PARTS]        = "read a piece each",
		[SHARING_READ]              = "read pieces that overlap",
		[SHARING_ONE_WRITER]        = "reading what one writes",
		[SHARING_WRITE_PARTS]       = "write a piece each",
		[SHARING_WRITE_INTERLEAVED] = "write pieces that alternate",
		[SHARING_WRITE_OVERLAPPING] = "write, bytes more than once",
	};
	size_t n = f->sharing < SHARING_WRITE_PARTS ? f->readers : f->writers;
	if (!f->sharing)
		return "";
	snprintf(text, TRACE_WORDS, "%zu process%s %s", n, n == 1 ? "" : "es", how[f->sharing]);
	return text;
}

void trace_put_losses(struct buf *b, const struct trace_sums *s)
{
	bool has_end = s->states_losses && s->without_end == 0;
	if (!s->states_losses) {
		buf_add(b, STR("none stated"));
		return;
	}
	if (s->lost)
		buf_addf(b, "%" PRIu64 "%s, so that numbers are too low", s->lost,
			 has_end ? "" : " or more");
	else
		buf_add(b, has_end ? STR("none") : STR("unknown"));
	if (!has_end)
		buf_add(b, STR(": a recording has no end"));
	if (s->calls32)
		buf_addf(b, "; besides %" PRIu64 " calls of 32-bit programs", s->calls32);
}
