/* SPDX-License-Identifier: BSD-3-Clause */
/* mail.h - write a table of jobs as an HTML page, or as a complete e-mail message */
#pragma once

#include "report/jobs/groups.h"
#include "report/jobs/listing.h"

struct jobs_page {
	const char *title;
	const struct jobs_table *table;
	struct listing *of;
	const struct groups *groups;	/* rows to print; jobs instead if .by is GROUP_NONE */
	size_t most;			/* largest number of rows */
};

void jobs_put_html(struct buf *b, const struct jobs_page *p);

/* Check whether the address may be used in a header line of the message. */
bool mail_takes_address(struct str address);
/*
 * Write a message (RFC 5322) with the table as text and as HTML (multipart/alternative, RFC 2046).
 * "time" is the date of the message in seconds since the epoch.
 */
void jobs_put_mail(struct buf *b, const struct jobs_page *p, const char *to, struct str text,
		   int64_t time);
