/* SPDX-License-Identifier: BSD-3-Clause */
/* index_text.c - list the jobs of a file, from its index or its records */
#include "report/index_text.h"

#include <errno.h>
#include "archive/index.h"
#include "archive/input.h"

void index_text_put(const char *path, struct buf *out)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct input *in;
	struct str text;

	if (index_read(path, &b, &text) == 0) {
		buf_add(out, text);
		return;
	}
	int e = input_open(path, &in);
	if (e == 0) {
		const struct byte_source bytes = input_bytes(in);
		e = index_make(&bytes, &b);
		e = input_error(in) ? input_error(in) : e;
		input_free(in);
		text = buf_str(&b);
	}
	if (e < 0)
		buf_addf(out, "wrong %s\n", e == -EBADMSG ? "some of it cannot be read" :
			 e == -E2BIG ? "it has more jobs than are listed" : input_why(e));
	if (e == 0 || e == -EBADMSG || e == -E2BIG)
		buf_add(out, buf_str(&b));
}
