/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c - which pages a class has, and what stands around their lines */
#include "monitor/view.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "formats/vms/vms_time.h"

/* Names by which users choose the items of component classes: MONITOR's qualifier /ITEM. */
static const struct item_name {
	size_t class;
	const char *name, *item;
	bool usual;
} item_names[] = {
	{ VMS_DISK, "operation_rate", "OPCNT", true },
	{ VMS_DISK, "queue_length",   "QCOUNT"     },
	{ VMS_SCS,  "d_send",     "DGSENT", true   },
	{ VMS_SCS,  "d_receive",  "DGRCVD"         },
	{ VMS_SCS,  "d_discard",  "DGDISCARD"      },
	{ VMS_SCS,  "m_send",     "MSGSENT"        },
	{ VMS_SCS,  "m_receive",  "MSGRCVD"        },
	{ VMS_SCS,  "s_data",     "SNDATS"         },
	{ VMS_SCS,  "kb_send",    "KBYTSENT"       },
	{ VMS_SCS,  "r_data",     "REQDATS"        },
	{ VMS_SCS,  "kb_request", "KBYTREQD"       },
	{ VMS_SCS,  "kb_map",     "KBYTMAPD"       },
	{ VMS_SCS,  "cr_wait",    "QCR_CNT"        },
	{ VMS_SCS,  "bd_wait",    "QBDT_CNT"       },
	{ VMS_RMS,  "reads",      "READS", true    },
	{ VMS_RMS,  "read_kb",    "READKB"         },
	{ VMS_RMS,  "writes",     "WRITES"         },
	{ VMS_RMS,  "write_kb",   "WRITEKB"        },
	{ VMS_RMS,  "opens",      "OPENS"          },
	{ VMS_RMS,  "closes",     "CLOSES"         },
	{ VMS_RMS,  "extends",    "EXTENDS"        },
	{ VMS_RMS,  "flushes",    "FLUSHES"        },
	{ VMS_VECTOR, "ticks",    "TICKS", true    },
};

size_t view_item(size_t class, struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(item_names); i++)
		if (item_names[i].class == class && str_eq(name, str_of(item_names[i].name)))
			return vms_item_find(&vms_classes[class], str_of(item_names[i].item));
	return vms_classes[class].n_items;
}

bool view_knows_item(struct str name)
{
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (vms_classes[i].n_items && view_item(i, name) < vms_classes[i].n_items)
			return true;
	return false;
}

static size_t usual_item(size_t class)
{
	for (size_t i = 0; i < ARRAY_SIZE(item_names); i++)
		if (item_names[i].class == class && item_names[i].usual)
			return vms_item_find(&vms_classes[class], str_of(item_names[i].item));
	return VMS_ITEMS_MAX;
}

/* The page-th of the items that were asked for; VMS_ITEMS_MAX: there are not so many. */
static size_t nth_item(const struct shown *s, size_t page)
{
	struct str list = str_of(s->view->items ? s->view->items : ""), name;
	while (str_take_item(&list, &name)) {
		size_t item = view_item(s->class, name);
		if (item < vms_classes[s->class].n_items && page-- == 0)
			return item;
	}
	return VMS_ITEMS_MAX;
}

static bool is_shown_cpu(const struct shown *s, const struct series *cpu)
{
	struct str name = str_of(cpu->name);
	uint64_t number;
	if (!s->view->some_cpus)
		return true;
	return str_take_prefix(&name, STR("CPU ")) && str_take_u64(&name, &number) &&
	       number < VIEW_CPUS && s->view->cpu[number];
}

static const struct series *nth_cpu(const struct shown *s, size_t page)
{
	const struct class_stats *c = &s->stats->of[s->class];
	for (size_t i = 0; i < c->n; i++)
		if (is_shown_cpu(s, &c->series[i]) && page-- == 0)
			return &c->series[i];
	return NULL;
}

size_t view_pages(const struct shown *s)
{
	size_t n = 0;
	if (s->class == VMS_MODES && s->view->each_cpu && s->stats) {
		while (nth_cpu(s, n))
			n++;
		return n;
	}
	if (usual_item(s->class) < VMS_ITEMS_MAX)
		while (nth_item(s, n) < VMS_ITEMS_MAX)
			n++;
	return n ? n : 1;
}

size_t view_page_item(const struct shown *s, size_t page)
{
	if (usual_item(s->class) == VMS_ITEMS_MAX)
		return VMS_ITEMS_MAX;
	size_t item = nth_item(s, page);
	return item < VMS_ITEMS_MAX ? item : usual_item(s->class);
}

static bool has_bars(const struct shown *s)
{
	static const uint32_t usually = 1u << VMS_CLUSTER | 1u << VMS_MODES | 1u << VMS_STATES |
					1u << VMS_SYSTEM | 1u << VMS_VECTOR;
	if (s->view->form == VIEW_USUAL)
		return s->moment && (usually >> s->class & 1);
	return s->view->form == VIEW_BARS;
}

/* Stamps are UTC, or what OpenVMS had; local time where the file says how far that is away. */
static void put_time(const struct shown *s, int64_t stamp, char *to, size_t size)
{
	const struct vms_node *n = s->from->node[s->index];
	time_t sec = (time_t)(vms_time_usec(stamp) / 1000000) + (n ? n->utc_offset : 0);
	struct tm t;
	if (!gmtime_r(&sec, &t) || !strftime(to, size, "%d-%b-%Y %H:%M:%S", &t))
		snprintf(to, size, "?");
}

static void put_around(const struct shown *s, const char *title, struct page *ret)
{
	static const char *const names[] = { "CUR", "AVE", "MIN", "MAX" };
	char first[40], last[40];
	bool bars = has_bars(s);
	page_text(ret->title, "%s%s%s%s", vms_classes[s->class].title, *title ? ": " : "", title,
		  s->view->percent ? " (percent)" : "");
	page_text(ret->left, "node " STR_FMT, STR_ARG(moments_host(s->from, s->index)));
	put_time(s, s->moment ? s->moment->stamp : s->stats->last, last, sizeof(last));
	put_time(s, s->stats->first, first, sizeof(first));
	if (s->moment)
		page_text(ret->right, "%s", last);
	else
		page_text(ret->right, "%s to %s", first, last);
	if (bars)
		page_text(ret->columns, "%-28s %11s", "",
			  names[s->moment ? s->view->which : STAT_AVERAGE]);
	else
		page_text(ret->columns, "%-28s %11s %11s %11s %11s", "", names[0], names[1],
			  names[2], names[3]);
	if (s->from->comment[0])
		page_text(ret->foot, "%s", s->from->comment);
}

const char *view_file(const struct shown *s, size_t block)
{
	const char *name = s->from->files.p;
	if (block >= s->from->n_files)
		return NULL;
	while (block--)
		name += strlen(name) + 1;
	return name;
}

bool view_leaves_out(const struct shown *s, size_t block)
{
	struct str list = str_of(s->view->files ? s->view->files : ""), pattern;
	const char *name = view_file(s, block);
	if (s->class != VMS_RMS || !s->view->files)
		return false;
	while (name && str_take_item(&list, &pattern)) {
		char text[256];
		if (str_copy(text, sizeof(text), pattern) && fnmatch(text, name, 0) == 0)
			return false;
	}
	return true;
}

void view_make(const struct shown *s, size_t page, struct page *ret)
{
	const struct vms_class *c = &vms_classes[s->class];
	struct view_rows rows = { .item = VMS_ITEMS_MAX, .bars = has_bars(s) };
	const char *title = "";
	page_clear(ret);
	if (s->class == VMS_MODES) {
		rows.series = s->view->each_cpu ? nth_cpu(s, page) : &s->stats->of[s->class].all;
		title = s->view->each_cpu && rows.series ? rows.series->name : "all CPUs";
	} else if (view_page_item(s, page) < VMS_ITEMS_MAX) {
		rows.item = view_page_item(s, page);
		title = c->item[rows.item].title;
	} else if (s->stats->of[s->class].n) {
		rows.series = &s->stats->of[s->class].series[0];
	}
	put_around(s, title, ret);
	if (s->class == VMS_PROCESSES)
		view_add_processes(s, s->view->top < VMS_ITEMS_MAX, ret);
	else if (rows.series || rows.item < VMS_ITEMS_MAX)
		view_add_rows(s, &rows, ret);
}
