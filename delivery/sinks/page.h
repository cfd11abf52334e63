/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - keep the newest sample of each type as text for Prometheus */
#pragma once

#include "formats/line/exposition.h"

/* A page. A struct that is zero except for .form is a valid empty page; page_free() releases it. */
struct sample_page {
	struct exposition_form form;	/* format of the text, without timestamps */
	struct page_type {
		char *name;
		struct buf text;
		/*
		 * .usec: time of the sample; .current_us: how long the sample is current, in
		 * microseconds
		 */
		int64_t usec, current_us;
	} *type;
	size_t n, cap;
	struct buf jobs;	/* text of the jobs that run on the node */
	int64_t usec;		/* time of the newest record; 0: there was none */
};

void page_free(struct sample_page *p);

/*
 * Update the page with a record. If the record lacks a type that it should have, remove the type
 * from the page: a live sample should have the types in live_types (see type_is_listed()), any
 * other sample all types.
 */
void page_take(struct sample_page *p, const struct line_node *node, const struct record *r,
	       bool live, struct str live_types);

/*
 * Append the page as of now_us, in microseconds since 1970. A sample is shown while it is current:
 * for five minutes, or for three intervals if this is longer; the first sample of a type for 30
 * minutes.
 */
void page_put(const struct sample_page *p, int64_t now_us, struct buf *to);
