/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.h - the files of an archive; of one that the user cannot read, what nodometer-answer has */
#pragma once

#include "archive/input.h"
#include "formats/answer.h"

/* Said by nodometer-answer; all zero, its answer was not used. asked_free() ends it. */
struct asked {
	bool used;
	struct buf left_out;	/* for people: nothing where nothing was left out */
};

/*
 * As archive_list(). Where that is -EACCES, and nodometer-answer has the same archive, the files
 * are its answer, one for each host, in memory that this process has until it ends.
 */
int asked_list(const char *dir, const struct answer_request *q, struct archive_file **ret,
	       size_t *n, struct asked *asked, struct buf *why) MUST_CHECK;
void asked_free(struct asked *a);
