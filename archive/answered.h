/* SPDX-License-Identifier: BSD-3-Clause */
/* answered.h - records that another process sends, as files in memory of this one, one a host */
#pragma once

#include "archive/input.h"
#include "formats/answer.h"

struct answered {
	const char *of;			/* the folder, or the URL, that has to be the answer's */
	struct archive_file *file;	/* by host */
	size_t n, cap;
	int data;			/* of the newest file; -1 at first */
	uint64_t bytes;
	struct buf left_out, why;	/* the other side's words: of a whole answer, or why not */
};

/*
 * Sends the request and takes the answer, until it ends or the monotonic clock shows deadline_ns:
 * 0, or -errno and why; -ENOENT: it is of something else. answered_free() is in order after both.
 */
int answered_ask(struct answered *a, int fd, const struct answer_request *q,
		 int64_t deadline_ns) MUST_CHECK;
void answered_free(struct answered *a);	/* not .file, if it was taken and set to NULL */
