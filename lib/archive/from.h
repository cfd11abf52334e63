/* SPDX-License-Identifier: BSD-3-Clause */
/* from.h - get records from a database through the program nodometer-fetch */
#pragma once

#include "archive/input.h"
#include "formats/answer.h"

struct from {
	const char *url;	/* database; NULL: records are in files */
	const char *login;	/* file with the login, or NULL */
};

/* rows for a table of options */
#define FROM_ROW \
	{ "from", "URL", "read from ClickHouse at URL, such as https://ch.example.org:8443" }
#define LOGIN_ROW \
	{ "login", "FILE", \
	  "with --from: file of user, password-file, ca-file, ... as in [sink http]" }

/*
 * List the files of records. Without .url this is archive_list() of dir. Otherwise the records of
 * the hosts that match the name or pattern `host` (NULL: all) are fetched from the database, as one
 * file in memory per host, valid until this process ends. left_out gets a message about records
 * that are missing. Returns 0, or -errno and explains it in `why`.
 */
int archive_from(const struct from *f, const char *dir, const struct answer_request *q,
		 const char *host, struct archive_file **ret, size_t *n, struct buf *left_out,
		 struct buf *why) MUST_CHECK;
