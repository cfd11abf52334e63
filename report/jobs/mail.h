/* SPDX-License-Identifier: BSD-3-Clause */
/* mail.h - a table of jobs as a page, and as a message ready to be sent */
#pragma once

#include "report/jobs/groups.h"
#include "report/sacct.h"

struct jobs_page {
	const char *title;
	const struct jobs_table *table;
	const struct job_list *list;
	const struct groups *groups;	/* .by is GROUP_NONE: the table is of jobs */
	const struct sacct *sacct;
	size_t most;			/* rows */
};

void jobs_put_html(struct buf *b, const struct jobs_page *p);

/* Whether it can stand in a line of the message's head. */
bool mail_takes_address(struct str address);
/*
 * A message (RFC 5322) with the table twice (RFC 2046, multipart/alternative): the text, and the
 * page. The date is the one of the time, seconds.
 */
void jobs_put_mail(struct buf *b, const struct jobs_page *p, const char *to, struct str text,
		   int64_t time);
