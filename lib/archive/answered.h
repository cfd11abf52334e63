/* SPDX-License-Identifier: BSD-3-Clause */
/* answered.h - receive records from another process into files in memory, one per host */
#pragma once

#include "archive/input.h"
#include "formats/answer.h"

struct answered {
	const char *of;	/* folder or URL that the first frame of the answer must have */
	struct archive_file *file;	/* received files, sorted by host */
	size_t n, cap;
	int data;			/* descriptor of the newest file; -1 if there is none yet */
	uint64_t bytes;
	/*
	 * messages of the process that answers: .left_out tells what a complete answer lacks, .why
	 * is the reason of a failure
	 */
	struct buf left_out, why;
};

/*
 * Send the request and receive the answer, until it ends or the monotonic clock reaches
 * deadline_ns. Returns 0, or -errno and fills .why; -ENOENT if the answer is for another folder or
 * URL. Call answered_free() in both cases.
 */
int answered_ask(struct answered *a, int fd, const struct answer_request *q,
		 int64_t deadline_ns) MUST_CHECK;
/* free everything; to keep the files, take .file and set it to NULL before */
void answered_free(struct answered *a);
