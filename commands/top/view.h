/* SPDX-License-Identifier: BSD-3-Clause */
/* view.h - show a moment of the node as a page for people, and as JSON */
#pragma once

#include "screen/page.h"
#include "top/agent.h"
#include "top/moment.h"

enum top_order { TOP_BY_NAME, TOP_BY_ACTIVITY, TOP_ORDERS };

#define TOP_FILTER_MAX 32

struct top_view {
	const char *host;
	const struct top_moment *now;
	const struct top_agent *agent;
	enum top_order order;
	bool help;
	/* show only devices and jobs whose names contain this text */
	char filter[TOP_FILTER_MAX];
};

void top_view_make(const struct top_view *v, struct page *p);
/* appends one line of JSON */
void top_view_put_json(const struct top_view *v, struct buf *b);

/*
 * Fill the list `to` with the devices of a type that the page shows, in the order of the page. `to`
 * must have room for all devices of v->now. Returns the number of devices.
 */
size_t top_view_list(const struct top_view *v, const struct top_type *t,
		     const struct top_device **to);
