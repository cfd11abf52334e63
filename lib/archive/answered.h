/* SPDX-License-Identifier: BSD-3-Clause */
/* answered.h - receive records from another process into files in memory, one per host */
#pragma once

#include "archive/input.h"
#include "formats/answer.h"

/* The caller sets .of, and .data to -1; all other members are zero. */
struct answered {
	const char *of;	/* folder or URL that the request names and the answer must repeat */
	struct archive_file *file;	/* received files, sorted by host */
	size_t n, cap;
	int data;			/* descriptor of the newest file; -1 if there is none yet */
	uint64_t bytes;
	/* messages of the answering process: what is missing, and why the request failed */
	struct buf left_out, why;
};

/*
 * Send the request and receive the answer until deadline_ns (CLOCK_MONOTONIC). Returns 0, or -errno
 * with the reason in .why; -ENOENT if the answer is for another folder or URL. Call answered_free()
 * in all cases.
 */
int answered_ask(struct answered *a, int fd, const struct answer_request *q,
		 int64_t deadline_ns) MUST_CHECK;
/*
 * Free the list of files and the messages; to keep the list, set .file to NULL first. The files in
 * memory exist until this process ends.
 */
void answered_free(struct answered *a);
