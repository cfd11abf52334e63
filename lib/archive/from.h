/* SPDX-License-Identifier: BSD-3-Clause */
/* from.h - read records from a database through the program nodometer-fetch */
#pragma once

#include "archive/input.h"
#include "formats/answer.h"

struct from {
	const char *url;	/* URL of the database; NULL: the records are in files */
	const char *login;	/* file with user name and password, or NULL */
};

/* rows for a table of command line options */
#define FROM_ROW \
	{ "from", "URL", "read from ClickHouse at URL, such as https://ch.example.org:8443" }
#define LOGIN_ROW \
	{ "login", "FILE", \
	  "with --from: file of user, password-file, ca-file, ... as in [sink http]" }

/* Return true if the records are in a local folder, so that no login is needed. */
bool archive_is_here(const struct from *f, const char *dir);

/*
 * List the files of records. Without .url, this is archive_list() of dir. With .url, fetch the
 * records of the hosts that match `host` (a name, a pattern, or NULL: all) from the database into
 * files in memory, one for each host, which exist until this process ends. left_out gets a message
 * about missing records. Returns 0, or -errno with the reason in `why`. Free *ret with
 * archive_list_free().
 */
int archive_from(const struct from *f, const char *dir, const struct answer_request *q,
		 const char *host, struct archive_file **ret, size_t *n, struct buf *left_out,
		 struct buf *why) MUST_CHECK;
