/* SPDX-License-Identifier: BSD-3-Clause */
/* view.h - a class as a page: a table of all statistics, or bars of one */
#pragma once

#include "monitor/stats.h"
#include "screen/page.h"

#define VIEW_CPUS 1024
#define VIEW_TOP 8	/* as MONITOR had it */

enum view_form { VIEW_USUAL, VIEW_TABLE, VIEW_BARS };

struct view {
	enum view_form form;
	enum statistic which;		/* VIEW_BARS */
	bool percent;			/* DISK, MODES, SCS, STATES */
	bool each_cpu;			/* MODES: a page for each */
	bool some_cpus;
	bool cpu[VIEW_CPUS];		/* of these */
	size_t top;			/* PROCESSES: the item of bars; VMS_ITEMS_MAX: a table */
	const char *items;		/* names with commas between them, or NULL: the usual one */
	const char *files;		/* RMS: only these, or NULL */
};

struct shown {
	const struct view *view;
	size_t class;
	const struct stats *stats;
	const struct moment *moment;	/* the newest; NULL: a summary of all of them */
	const struct moments *from;
	uint8_t index;			/* of the node */
};

/* Whether a class has an item that this name for --item means. */
bool view_knows_item(struct str name);

/* How many pages a class has: one per item of --item, or per CPU. */
size_t view_pages(const struct shown *s);
/* Which item the page-th shows of every element; VMS_ITEMS_MAX: all items of one. */
size_t view_page_item(const struct shown *s, size_t page);
/* Makes the page-th of them. */
void view_make(const struct shown *s, size_t page, struct page *ret);
