/* SPDX-License-Identifier: BSD-3-Clause */
/* site.h - write a "site": a folder of static web pages for each user, and for all users */
#pragma once

#include <stdbool.h>
#include "base/map.h"
#include "report/jobs/listing.h"

/*
 * A site in the folder OUT. OUT/users/NAME has the pages of a user; OUT/all has the lists of all
 * users' runs. OUT/.pages tells which runs have pages already.
 */
struct site {
	struct listing of;
	int out, users, all;	/* descriptors of the folders */
	uint64_t formula;
	/* contents of OUT/.pages: a head, and run_store_hash() of each run with a page */
	struct buf known_text;
	struct map known;
	bool failed;		/* something could not be written; the reason was logged */
};

/*
 * Open or create the site. The caller sets .of with its .advice, the descriptors to -1, and the
 * other members to 0. Returns 0, or -errno after logging why. Call site_close() in both cases.
 */
int site_open(struct site *s, const char *out) MUST_CHECK;
void site_close(struct site *s);

/*
 * Open or create a user's folder below OUT/users, with the access rules for a web server. Returns a
 * descriptor, or -1 after logging why.
 */
int site_open_user(struct site *s, const char *user);
/* writes the folder's name; NULL stands for the unknown user */
void site_put_user(struct buf *b, const char *user);
/* writes the file name of the run's page */
void site_put_run(struct buf *b, const struct listed_job *j);

/* Write a page. Logs errors and sets .failed. */
void site_write(struct site *s, int dirfd, const char *name, struct str text);

/* callbacks for struct run_pages */
bool site_wants(void *site, const struct listed_job *j, uint64_t hash);
bool site_make(void *site, const struct listed_job *j, struct report *r);
/* Store in OUT/.pages which runs have pages. Sets .failed if a listed run has none. */
void site_note(struct site *s);
