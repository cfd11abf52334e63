/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_call_read.c - read records of system calls, each after its size in two bytes */
#include <errno.h>
#include <stdlib.h>
#include "filetrace/calls/call_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(struct call_reader *reader, struct str record)
{
	struct event e;
	struct buf line CLEANUP(buf_free) = { 0 };
	int r = call_read(reader, record, &e);
	if (r != 0 && r != -EAGAIN && r != -EBADMSG)
		abort();
	if (r != 0)
		return;
	if (e.op >= OPERATIONS || memchr(e.path.p, '\0', e.path.n) || e.result < 0)
		abort();
	event_put_csv(&line, &e, true);
	event_put_json(&line, &e, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct call_reader reader;
	struct str in = { (const char *)data, size };
	while (in.n >= 2) {
		size_t n = str_load(in.p, 2) & 0xffff;
		in = str_skip(in, 2);
		struct str record = { in.p, n < in.n ? n : in.n };
		in = str_skip(in, record.n);
		take(&reader, record);
	}
	call_reader_free(&reader);
	return 0;
}
