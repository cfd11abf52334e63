/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_forms.h - the forms of a report of recorded operations, and the words that they share */
#pragma once

#include "base/buf.h"
#include "tracers/files/trace_sums.h"

#define TRACE_PERCENTILES 3
extern const struct trace_percentile {
	const char *name;
	double percent;
} trace_percentiles[TRACE_PERCENTILES];

/* Ranges of a histogram, each to the start of the next one. */
struct trace_range {
	uint64_t from;
	const char *name;
};
#define TRACE_SIZES 10
#define TRACE_TIMES 8
extern const struct trace_range trace_sizes[TRACE_SIZES], trace_times[TRACE_TIMES];

static inline uint64_t trace_range_end(const struct trace_range *r, size_t n, size_t i)
{
	return i + 1 < n ? r[i + 1].from : UINT64_MAX;
}

/* "12.3 ms", "4 KiB". */
#define TRACE_TEXT  24
#define TRACE_WORDS 96
const char *trace_ns_text(char text[TRACE_TEXT], int64_t ns);
const char *trace_bytes_text(char text[TRACE_TEXT], uint64_t bytes);

/* "reads sequential, writes random", or "". */
const char *trace_pattern_text(char text[TRACE_WORDS], const struct trace_sum *file);
/* "8 processes write pieces that alternate". */
const char *trace_sharing_text(char text[TRACE_WORDS], const struct trace_sum *file);

/* Whether all records are there: "none", "412, so that numbers are too low". */
void trace_put_losses(struct buf *b, const struct trace_sums *s);

void trace_put_json(struct buf *b, const struct trace_sums *s);
void trace_print_text(const struct trace_sums *s);	/* on standard output */
/* A page for a browser; without a chart, and why not, where none can be drawn. */
void trace_put_page(struct buf *b, const struct trace_sums *s);
