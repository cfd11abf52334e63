/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_xrd_state.c - any saved state is refused, or the receiver can continue from it */
#include <stdlib.h>
#include "xrootd/state/saved_state.h"
#include "xrootd/state/state_parts.h"
#include "xrootd/lines/xrd_transfer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_transfer(void *arg, const struct xrd_transfer *t)
{
	struct buf *b = arg;
	xrd_transfer_put(b, t);
	if (b->p[b->n - 1] != '\n')
		abort();
	b->n = 0;
}

static void on_minute(void *arg, int64_t usec, const struct xrd_sums *s)
{
	(void)usec;
	struct buf *b = arg;
	xrd_sums_put_rows(b, s);
	b->n = 0;
}

/*
 * Read the bytes after the checksum directly, because the checksum would refuse nearly all inputs.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct xrd_listener to = { on_transfer, NULL, &b, NULL };
	const struct xrd_sums_listener minutes = { on_minute, &b };
	struct xrd_join *j = xrd_join_new(&to, 1 << 20);
	struct xrd_sums *s = xrd_sums_new(&minutes, xrd_join_servers(j));
	struct xrd_reports *r = xrd_reports_new(0);
	struct wire w = wire_of((struct str){ (const char *)data, size });
	join_take_state(&w, j);
	if (!w.bad && wire_u8(&w))
		sums_take_state(&w, s);
	if (!w.bad && wire_u8(&w))
		reports_take_state(&w, r);
	if (w.bad) {
		if (getenv("WHOLE"))	/* the input is a whole state, which the program has made */
			abort();
		xrd_join_abandon(j);
	} else {
		join_put_state(&b, j);
		sums_put_state(&b, s);
		reports_put_state(&b, r);
		b.n = 0;
		xrd_reports_put_schema(r, &b);
		xrd_reports_put_rows(r, &b, INT64_MAX / 8);
		b.n = 0;
		xrd_join_tick(j, INT64_MAX / 8);
		xrd_join_finish(j);
		xrd_sums_finish(s);
	}
	xrd_join_free(j);
	xrd_sums_free(s);
	xrd_reports_free(r);
	return 0;
}
