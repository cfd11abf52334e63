/* SPDX-License-Identifier: BSD-3-Clause */
/* from.h - records that an engine holds, which the program nodometer-fetch gets from there */
#pragma once

#include "archive/input.h"
#include "formats/answer.h"

struct from {
	const char *url;	/* NULL: records are in files */
	const char *login;	/* a file that says who asks, or NULL */
};

/* The rows of a table of options. */
#define FROM_ROW \
	{ "from", "URL", "not of files, but of ClickHouse at https://ch.example.org:8443" }
#define LOGIN_ROW \
	{ "login", "FILE", "with --from: user, password-file, ca-file ... as in [sink http]" }

/*
 * Without .url archive_list() of dir; else of an engine, of hosts of this name or pattern, NULL:
 * all; each is one file in memory, until this process ends. left_out gets what is not there of the
 * records. -errno and why.
 */
int archive_from(const struct from *f, const char *dir, const struct answer_request *q,
		 const char *host, struct archive_file **ret, size_t *n, struct buf *left_out,
		 struct buf *why) MUST_CHECK;
