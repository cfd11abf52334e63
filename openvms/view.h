/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * view.h - format the data of a class as pages: tables of all statistics, or bars of one statistic
 */
#pragma once

#include "openvms/stats.h"
#include "screen/page.h"

#define VIEW_CPUS 1024
#define VIEW_TOP 8	/* number of processes shown, as in MONITOR */
#define VIEW_TIME 40

enum view_form { VIEW_USUAL, VIEW_TABLE, VIEW_BARS };

struct view {
	enum view_form form;
	enum statistic which;		/* the statistic that bars show */
	bool percent;			/* percentages for DISK, MODES, SCS and STATES */
	bool each_cpu;			/* for MODES: a page for each CPU */
	bool some_cpus;
	bool cpu[VIEW_CPUS];		/* CPUs to show, if .some_cpus */
	/* for PROCESSES: item that bars show; VMS_ITEMS_MAX: show a table */
	size_t top;
	const char *items;		/* value of --item, "NAME,NAME"; NULL: default item */
	const char *files;		/* for RMS: patterns of file names; NULL: all */
};

struct shown {
	const struct view *view;
	size_t class;
	const struct stats *stats;
	/* newest sample; NULL: summary of all samples */
	const struct monitor_moment *moment;
	const struct moments *from;
	const struct vms_node *node;	/* node that the values belong to; NULL: unknown */
};

/* Format a VMS time as "29-Nov-1998 13:20:30". utc_offset: seconds to add, for local time. */
void view_put_time(int64_t stamp, int32_t utc_offset, char to[VIEW_TIME]);

/* Return true if --item accepts this name. */
bool view_knows_item(struct str name);

/*
 * Return the number of pages of a class: with --cpu, one for each CPU to show, perhaps none; with
 * --item, one for each of its items; otherwise 1.
 */
size_t view_pages(const struct shown *s);
/*
 * Return the item that a page shows for all elements (such as disks); VMS_ITEMS_MAX if the page
 * shows all items of one element instead.
 */
size_t view_page_item(const struct shown *s, size_t page);
/* Build the text of a page. */
void view_make(const struct shown *s, size_t page, struct page *ret);
