/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - the newest sample of each type, as text that Prometheus reads */
#pragma once

#include "formats/line/exposition.h"

/* All zero but .form is an empty one; page_free() ends it. */
struct page {
	struct exposition_form form;	/* without times */
	struct page_type {
		char *name;
		struct buf text;
		int64_t usec, stale_us;	/* when it was taken, and how long it is of now */
	} *type;
	size_t n, cap;
	struct buf jobs;	/* owners of the node */
	int64_t usec;		/* of the newest record, 0: there was none */
};

void page_free(struct page *p);

/*
 * Takes a record. Types that it could have and lacks are gone: in a sample of the live tier those
 * of the list (type_is_listed()), else all.
 */
void page_take(struct page *p, const struct line_node *node, const struct record *r, bool live,
	       struct str live_types);

/* A sample is shown while current: for five minutes, or for three intervals if that is longer. */
void page_put(const struct page *p, int64_t now_us, struct buf *to);
