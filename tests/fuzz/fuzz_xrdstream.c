/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_xrdstream.c - for any datagram, its records are the same after they were written again */
#include <stdlib.h>
#include <string.h>
#include "formats/xrootd/xrdstream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Append all records to b. Returns false if the datagram ends with a damaged record. */
static bool write_again(struct xrd_packet *p, struct buf *b)
{
	struct xrd_record r;
	int n;
	xrd_begin(b, p);
	while ((n = xrd_next(p, &r)) > 0)
		xrd_put(b, p, &r);
	return n == 0 && xrd_end(b, p) == 0;
}

static void take_apart(struct xrd_packet *p)
{
	struct xrd_record r;
	struct xrd_user u;
	struct str userid, info, key, value;
	while (xrd_next(p, &r) > 0) {
		if (r.kind != XRD_MAP)
			continue;
		xrd_map_split(r.text, &userid, &info);
		if (xrd_user_split(userid, &u) && u.name.n > userid.n)
			abort();
		while (xrd_take_pair(&info, &key, &value))
			;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf one CLEANUP(buf_free) = { 0 }, two CLEANUP(buf_free) = { 0 };
	struct str datagram = { (const char *)data, size };
	struct xrd_packet p;

	if (size > 4 && strchr("=dipuxUTfrtg", data[0]) && data[0]) { /* correct the length field */
		buf_add(&two, datagram);
		two.p[2] = (char)(size >> 8);
		two.p[3] = (char)size;
		datagram = buf_str(&two);
	}
	if (xrd_open(datagram, &p) < 0)
		return 0;
	struct xrd_packet again = p;
	take_apart(&again);
	if (p.form != XRD_BINARY || !write_again(&p, &one))
		return 0;

	/*
	 * Write the records twice, and compare the two results. The input itself may differ,
	 * because writing leaves out padding and reserved bytes.
	 */
	struct buf three CLEANUP(buf_free) = { 0 };
	if (xrd_open(buf_str(&one), &p) < 0 || !write_again(&p, &three) ||
	    !str_eq(buf_str(&one), buf_str(&three)))
		abort();
	return 0;
}
