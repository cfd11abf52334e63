/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_forms.h - output forms of the report on recorded operations, and words that they share */
#pragma once

#include "base/buf.h"
#include "filetrace/trace_sums.h"

#define TRACE_PERCENTILES 3
extern const struct trace_percentile {
	const char *name;
	double percent;
} trace_percentiles[TRACE_PERCENTILES];

/* A range of sizes (bytes) or times (nanoseconds). It ends where the next range begins. */
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

/* Format a duration or a size: "12.3 ms", "4 KiB". */
#define TRACE_TEXT  24
#define TRACE_WORDS 96
const char *trace_ns_text(char text[TRACE_TEXT], int64_t ns);
const char *trace_bytes_text(char text[TRACE_TEXT], uint64_t bytes);

/* Format the access pattern: "reads sequential, writes random", or "". */
const char *trace_pattern_text(char text[TRACE_WORDS], const struct trace_sum *file);
/* Describe how a file is shared: "8 processes write pieces that alternate", or "". */
const char *trace_sharing_text(char text[TRACE_WORDS], const struct trace_sum *file);

/* Append a statement on lost records: "none", or "412, so that numbers are too low". */
void trace_put_losses(struct buf *b, const struct trace_sums *s);

void trace_put_json(struct buf *b, const struct trace_sums *s);
void trace_print_text(const struct trace_sums *s);	/* print the report to standard output */
/* Append a page for a browser. If no chart can be drawn, the page has the reason instead. */
void trace_put_page(struct buf *b, const struct trace_sums *s);
