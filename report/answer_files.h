/* SPDX-License-Identifier: BSD-3-Clause */
/* answer_files.h - list an archive's files; ask nodometer-answer if the user may not read them */
#pragma once

#include "archive/input.h"
#include "formats/answer.h"

/*
 * Result of asking nodometer-answer, a server that reads the archive for users without permission.
 * All zero if the server was not asked. Call answer_use_free() to free the message.
 */
struct answer_use {
	bool used;
	/* message for users about records that the server left out of its reply, or "" */
	struct buf left_out;
};

/*
 * List files as archive_list() does. If the user may not read the archive (-EACCES) and
 * nodometer-answer serves it, send q to nodometer-answer and list the files of its reply instead:
 * one file per host, held in memory until this process exits. Returns 0, or -errno with the reason
 * in why.
 */
int answer_files_list(const char *dir, const struct answer_request *q, struct archive_file **ret,
		      size_t *n, struct answer_use *use, struct buf *why) MUST_CHECK;
void answer_use_free(struct answer_use *a);
