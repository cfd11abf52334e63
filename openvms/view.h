/* SPDX-License-Identifier: BSD-3-Clause */
/* view.h - show a class as a page: a table of all statistics, or bars of a single statistic */
#pragma once

#include "openvms/stats.h"
#include "screen/page.h"

#define VIEW_CPUS 1024
#define VIEW_TOP 8	/* number of processes shown, as in MONITOR */
#define VIEW_TIME 40

enum view_form { VIEW_USUAL, VIEW_TABLE, VIEW_BARS };

struct view {
	enum view_form form;
	enum statistic which;		/* the statistic that VIEW_BARS shows */
	bool percent;			/* show percentages, for DISK, MODES, SCS and STATES */
	bool each_cpu;			/* for MODES: one page for each CPU */
	bool some_cpus;
	bool cpu[VIEW_CPUS];		/* CPUs to show if .some_cpus is set */
	/* for PROCESSES: the item of the bars; VMS_ITEMS_MAX: a table */
	size_t top;
	const char *items;		/* item names, separated by commas; NULL: the usual item */
	const char *files;		/* for RMS: patterns of the files to show; NULL: all */
};

struct shown {
	const struct view *view;
	size_t class;
	const struct stats *stats;
	/* the newest moment; NULL: a summary of all moments */
	const struct monitor_moment *moment;
	const struct moments *from;
	const struct vms_node *node;	/* node that the values belong to; NULL: not known */
};

/*
 * Format a stamp as on the pages, "29-Nov-1998 13:20:30", in the time zone utc_offset seconds east
 * of Greenwich.
 */
void view_put_time(int64_t stamp, int32_t utc_offset, char to[VIEW_TIME]);

/* Return true if a class has an item with this name for --item. */
bool view_knows_item(struct str name);

/* Return the number of pages of a class: one for each item of --item, or for each CPU. */
size_t view_pages(const struct shown *s);
/*
 * Return the item that a page shows for all elements. Returns VMS_ITEMS_MAX if the page shows all
 * items of a single series.
 */
size_t view_page_item(const struct shown *s, size_t page);
/* Make the text of a page. */
void view_make(const struct shown *s, size_t page, struct page *ret);
