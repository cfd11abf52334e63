/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_stomp.c - for any text of a broker, frames lie within the text, one after the other */
#include <stdlib.h>
#include "formats/stomp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_within(struct str all, struct str part)
{
	if (part.n && (part.p < all.p || part.p + part.n > all.p + all.n))
		abort();
}

/* Check that a whole frame reads the same without the text that follows it. */
static void check_alone(struct str text, const struct stomp_frame *f)
{
	struct stomp_frame again;
	if (stomp_take(&text, &again) != 1 || text.n || !str_eq(again.command, f->command) ||
	    !str_eq(again.headers, f->headers) || !str_eq(again.body, f->body))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str all = { (const char *)data, size }, in = all, before = in;
	struct buf value CLEANUP(buf_free) = { 0 };
	struct stomp_frame f;
	while (stomp_take(&in, &f) == 1) {
		check_within(all, f.command);
		check_within(all, f.headers);
		check_within(all, f.body);
		if (in.n >= before.n)
			abort();
		check_alone((struct str){ before.p, before.n - in.n }, &f);
		before = in;
		value.n = 0;
		if (stomp_add_header(&value, &f, STR("message")) && value.n > f.headers.n)
			abort();
	}
	return 0;
}
