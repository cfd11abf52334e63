/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_row_binary.c - for any answer of an engine, rows lie within the answer, and spans stay in
 * order
 */
#include <stdlib.h>
#include "fetch/queries.h"
#include "formats/row_binary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const columns[] = { SPANS_COLUMNS, HEADS_COLUMNS, RECORDS_COLUMNS };

static void check_row(struct str all, const struct row_value *v, const char *of)
{
	for (size_t i = 0; of[i]; i++)
		if (of[i] == 's' && v[i].text.n &&
		    (v[i].text.p < all.p || v[i].text.p + v[i].text.n > all.p + all.n))
			abort();
}

/* Check that the pieces of spans follow one another, and that none is longer than the limit. */
static void check_spans(const struct spans *s)
{
	struct time_span piece[4], last = { 0, INT64_MIN, INT64_MIN };
	int64_t done = INT64_MIN;
	size_t at = 0, n = 0, any = 0;
	while (any++ < 64 && (n = spans_next(s, &at, &done, 1000000, piece, 4)))
		for (size_t i = 0; i < n; i++) {
			if (piece[i].until < piece[i].since ||
			    piece[i].until - piece[i].since > 1000000 ||
			    (piece[i].host == last.host && piece[i].since <= last.until))
				abort();
			last = piece[i];
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct answer_request q = { true, 0, INT64_MAX, STR("") };
	struct spans s = { .q = &q, .near = 1 };
	if (!size)
		return 0;
	const char *of = columns[data[0] % ARRAY_SIZE(columns)];
	struct str in = { (const char *)data + 1, size - 1 }, all = in;
	struct row_value v[ROW_BINARY_COLUMNS];
	int added = 0;
	for (size_t before = in.n; row_binary_take(&in, of, v) > 0; before = in.n) {
		if (in.n >= before)
			abort();
		check_row(all, v, of);
		if (of[1] == 'i' && !of[3] && added == 0)
			added = spans_add(&s, v[0].text, v[1].number, v[2].number);
	}
	check_spans(&s);
	spans_free(&s);
	return 0;
}
