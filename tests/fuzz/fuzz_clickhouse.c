/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_clickhouse.c - for any answer of an engine, the lines lie within the answer, one after the
 * other
 */
#include <stdlib.h>
#include "formats/clickhouse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text CLEANUP(buf_free) = { 0 }, table CLEANUP(buf_free) = { 0 };
	struct buf rest CLEANUP(buf_free) = { 0 };
	struct clickhouse_held h;
	buf_add(&text, (struct str){ (const char *)data, size });
	buf_add_char(&text, '\0');
	struct str in = { text.p, size };
	for (size_t before = in.n; clickhouse_take_held(&in, &h); before = in.n)
		if (in.n >= before || h.type.p < text.p || h.type.n > size || h.usec < 0)
			abort();
	clickhouse_take_query((struct str){ (const char *)data, size }, &table, &rest);
	return 0;
}
