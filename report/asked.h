/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.h - list an archive's files, by nodometer-answer if the user may not read them */
#pragma once

#include "archive/input.h"
#include "formats/answer.h"

/*
 * Result of asking nodometer-answer; all zero if nodometer-answer was not used. Call asked_free()
 * to free it.
 */
struct asked {
	bool used;
	struct buf left_out;	/* message for users about what was left out, or "" */
};

/*
 * List files as archive_list() does. If the user may not read the archive (-EACCES), but
 * nodometer-answer serves it, list the files in the reply of nodometer-answer instead: one file per
 * host, in memory that is freed when this process exits. Returns 0, or -errno and why.
 */
int asked_list(const char *dir, const struct answer_request *q, struct archive_file **ret,
	       size_t *n, struct asked *asked, struct buf *why) MUST_CHECK;
void asked_free(struct asked *a);
