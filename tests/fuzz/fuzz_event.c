/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_event.c - a record of an operation is refused, or reads as it was written */
#include <errno.h>
#include <stdlib.h>
#include "filetrace/event_read.h"
#include "filetrace/trace_sums.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Check that an event reads as it was written, except flags and modes, which the reader drops. */
static void write_and_read(const struct event *e, bool with_result)
{
	struct buf b = { 0 };
	struct event_line l = { 0 };
	event_put_csv(&b, e, with_result);
	struct str line = buf_str(&b);
	if (event_parse(&line, true, &l) != 0 || line.n || !str_eq(l.e.path, e->path) ||
	    !str_eq(l.e.text, e->text) || l.e.start != e->start || l.e.ns != e->ns ||
	    l.e.result != (with_result ? e->result : 0))
		abort();
	event_line_free(&l);
	buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str in = { (const char *)data, size };
	struct event_line l = { 0 };
	struct trace_sums sums = { 0 };
	while (in.n) {
		size_t before = in.n;
		int r = event_parse(&in, true, &l);
		if (in.n >= before)
			abort();
		if (r != 0)
			continue;
		trace_sums_add(&sums, &l.e, l.has_result);
		write_and_read(&l.e, l.has_result);
	}
	trace_sums_sort(&sums);
	for (size_t i = 0; i < sums.by_file.n; i++)
		if (sums.by_file.sum[i].sharing >= SHARINGS)
			abort();
	trace_sums_free(&sums);
	event_line_free(&l);
	return 0;
}
