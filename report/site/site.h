/* SPDX-License-Identifier: BSD-3-Clause */
/* site.h - a folder of static pages: each user's own, and those of all */
#pragma once

#include <stdbool.h>
#include "base/map.h"
#include "report/jobs/listing.h"

/*
 * OUT/users/NAME has a user's pages, OUT/all those of all users. OUT/.pages says what they were
 * made of, so that only new ones are made.
 */
struct site {
	struct listing of;
	int out, users, all;	/* folders */
	uint64_t formula;
	struct buf known_text;	/* stamps, each 8 bytes, of runs that have a page */
	struct map known;
	bool failed;		/* something was not written, and said */
};

/* 0 or -errno, and said why. */
int site_open(struct site *s, const char *out) MUST_CHECK;
void site_close(struct site *s);

/* A folder of OUT/users, with what a web server is to let in. A descriptor, or -1, and said why. */
int site_open_user(struct site *s, const char *user);
void site_put_user(struct buf *b, const char *user);	/* the name; NULL is a user, too */
void site_put_run(struct buf *b, const struct listed_job *j);	/* name of its page in there */

/* Writes a page, or says why not. */
void site_write(struct site *s, int dirfd, const char *name, struct str text);

/* For .of.pages. */
bool site_wants(void *site, const struct listed_job *j, uint64_t stamp);
bool site_make(void *site, const struct listed_job *j, struct report *r);
/* Notes which runs have pages now. */
void site_note(struct site *s);
