/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.h - list an archive's files, or ask nodometer-answer if the user may not read them */
#pragma once

#include "archive/input.h"
#include "formats/answer.h"

/*
 * Result of asking nodometer-answer; all zero if nodometer-answer was not used. Call asked_free()
 * to free it.
 */
struct asked {
	bool used;
	/* message for users about records that nodometer-answer left out, or "" */
	struct buf left_out;
};

/*
 * List files as archive_list() does. If the user may not read the archive (-EACCES) and
 * nodometer-answer serves it, send q to nodometer-answer and list the files of its reply instead:
 * one file per host, held in memory until this process exits. Returns 0, or -errno with the reason
 * in why.
 */
int asked_list(const char *dir, const struct answer_request *q, struct archive_file **ret,
	       size_t *n, struct asked *asked, struct buf *why) MUST_CHECK;
void asked_free(struct asked *a);
