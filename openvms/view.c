/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c - format the data of a class as pages */
#include "openvms/view.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "formats/vms/vms_time.h"

/* Item names for --item, as in MONITOR's qualifier /ITEM. */
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

static size_t view_find_item(size_t class, struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(item_names); i++)
		if (item_names[i].class == class && str_eq(name, str_of(item_names[i].name)))
			return vms_item_find(&vms_classes[class], str_of(item_names[i].item));
	return vms_classes[class].n_items;
}

bool view_knows_item(struct str name)
{
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (vms_classes[i].n_items && view_find_item(i, name) < vms_classes[i].n_items)
			return true;
	return false;
}

static size_t view_usual_item(size_t class)
{
	for (size_t i = 0; i < ARRAY_SIZE(item_names); i++)
		if (item_names[i].class == class && item_names[i].usual)
			return vms_item_find(&vms_classes[class], str_of(item_names[i].item));
	return VMS_ITEMS_MAX;
}

/*
 * Return item number `page`, counted from 0, of the items that --item names and the class has;
 * VMS_ITEMS_MAX if there are fewer.
 */
static size_t view_nth_item(const struct shown *s, size_t page)
{
	struct str list = str_of(s->view->items ? s->view->items : ""), name;
	while (str_take_item(&list, &name)) {
		size_t item = view_find_item(s->class, name);
		if (item < vms_classes[s->class].n_items && page-- == 0)
			return item;
	}
	return VMS_ITEMS_MAX;
}

static bool view_shows_cpu(const struct shown *s, const struct stats_series *cpu)
{
	struct str name = str_of(cpu->name);
	uint64_t number;
	if (!s->view->some_cpus)
		return true;
	return str_take_prefix(&name, STR("CPU ")) && str_take_u64(&name, &number) &&
	       number < VIEW_CPUS && s->view->cpu[number];
}

static const struct stats_series *view_nth_cpu(const struct shown *s, size_t page)
{
	const struct class_stats *c = &s->stats->of[s->class];
	for (size_t i = 0; i < c->n; i++)
		if (view_shows_cpu(s, &c->series[i]) && page-- == 0)
			return &c->series[i];
	return NULL;
}

size_t view_pages(const struct shown *s)
{
	size_t n = 0;
	if (s->class == VMS_MODES && s->view->each_cpu && s->stats) {
		while (view_nth_cpu(s, n))
			n++;
		return n;
	}
	if (view_usual_item(s->class) < VMS_ITEMS_MAX)
		while (view_nth_item(s, n) < VMS_ITEMS_MAX)
			n++;
	return n ? n : 1;
}

size_t view_page_item(const struct shown *s, size_t page)
{
	if (view_usual_item(s->class) == VMS_ITEMS_MAX)
		return VMS_ITEMS_MAX;
	size_t item = view_nth_item(s, page);
	return item < VMS_ITEMS_MAX ? item : view_usual_item(s->class);
}

static bool view_has_bars(const struct shown *s)
{
	static const uint32_t usually = 1u << VMS_CLUSTER | 1u << VMS_MODES | 1u << VMS_STATES |
					1u << VMS_SYSTEM | 1u << VMS_VECTOR;
	if (s->view->form == VIEW_USUAL)
		return s->moment && (usually >> s->class & 1);
	return s->view->form == VIEW_BARS;
}

/* Stamps of OpenVMS are local time (utc_offset is 0); stamps of nodometer are UTC. */
void view_put_time(int64_t stamp, int32_t utc_offset, char to[VIEW_TIME])
{
	time_t sec = (time_t)(vms_time_usec(stamp) / 1000000) + utc_offset;
	struct tm t;
	if (!gmtime_r(&sec, &t) || !strftime(to, VIEW_TIME, "%d-%b-%Y %H:%M:%S", &t))
		snprintf(to, VIEW_TIME, "?");
}

static void view_put_page_time(const struct shown *s, int64_t stamp, char to[VIEW_TIME])
{
	view_put_time(stamp, s->node ? s->node->utc_offset : 0, to);
}

static void view_put_frame(const struct shown *s, const char *title, struct page *ret)
{
	static const char *const names[] = { "CUR", "AVE", "MIN", "MAX" };
	char first[VIEW_TIME], last[VIEW_TIME];
	bool bars = view_has_bars(s);
	page_text(ret->title, "%s%s%s%s", vms_classes[s->class].title, *title ? ": " : "", title,
		  s->view->percent ? " (percent)" : "");
	const struct vms_node *n = s->node;
	char missed[40] = "";
	if (n && n->missed)
		snprintf(missed, sizeof(missed), ", %u moments missed", n->missed);
	page_text(ret->left, "node " STR_FMT "%s", STR_ARG(moments_host(n)),
		  missed);
	view_put_page_time(s, s->moment ? s->moment->stamp : s->stats->last, last);
	view_put_page_time(s, s->stats->first, first);
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
		page_text(ret->heading, "%s", s->from->comment);
}

static const char *view_file_name(const struct shown *s, size_t block)
{
	const char *name = s->from->files.p;
	if (block >= s->from->n_files)
		return NULL;
	while (block--)
		name += strlen(name) + 1;
	return name;
}

static bool view_leaves_out_file(const struct shown *s, size_t block)
{
	struct str list = str_of(s->view->files ? s->view->files : ""), pattern;
	const char *name = view_file_name(s, block);
	if (s->class != VMS_RMS || !s->view->files)
		return false;
	while (name && str_take_item(&list, &pattern)) {
		char text[256];
		if (str_copy(text, sizeof(text), pattern) && fnmatch(text, name, 0) == 0)
			return false;
	}
	return true;
}

/* The items and elements that a page shows. */
struct page_rows {
	/* item to show for all elements; VMS_ITEMS_MAX: all items */
	size_t item;
	/* element to show with all items; NULL: one item of all elements */
	const struct stats_series *series;
	bool bars;
};

static double view_scale_end(double largest)
{
	double end = 10;
	for (int i = 0; end < largest && i < 60; i++)
		end *= i % 3 == 1 ? 2.5 : 2;
	return end;
}

/* A row of a page: its label, and the statistics of one item. */
struct view_row {
	const char *label;
	const struct stat_of *stat;
};

struct row_list {
	const struct shown *shown;
	const struct page_rows *rows;
	size_t at, item;	/* next element, next item */
};

static bool view_shows_item(const struct vms_item *item)
{
	return item->kind == VMS_COUNT || item->kind == VMS_AMOUNT;
}

/* Set *ret to the row of the next item. Returns false at the end. */
static bool view_next_item(struct row_list *l, struct view_row *ret)
{
	const struct vms_class *c = &vms_classes[l->shown->class];
	while (l->item < c->n_items && !view_shows_item(&c->item[l->item]))
		l->item++;
	if (l->item >= c->n_items)
		return false;
	*ret = (struct view_row){ c->item[l->item].title, &l->rows->series->of[l->item] };
	l->item++;
	return true;
}

static bool view_next_element(struct row_list *l, struct view_row *ret)
{
	const struct class_stats *c = &l->shown->stats->of[l->shown->class];
	while (l->at < c->n && view_leaves_out_file(l->shown, l->at))
		l->at++;
	if (l->at >= c->n)
		return false;
	const char *file = l->shown->class == VMS_RMS ? view_file_name(l->shown, l->at) : NULL;
	*ret = (struct view_row){ file ? file : c->series[l->at].name,
				  &c->series[l->at].of[l->rows->item] };
	l->at++;
	return true;
}

static bool view_next_row(struct row_list *l, struct view_row *ret)
{
	return l->rows->series ? view_next_item(l, ret) : view_next_element(l, ret);
}

static bool view_can_be_percent(size_t class)
{
	return class == VMS_DISK || class == VMS_MODES || class == VMS_SCS || class == VMS_STATES;
}

/* Return the sum of one statistic over all rows. Sets *largest to the largest value. */
static double view_sum_rows(const struct shown *s, const struct page_rows *r, enum statistic which,
			    double *largest)
{
	struct row_list l = { s, r, 0, 0 };
	struct view_row row;
	double sum = 0, v;
	*largest = 0;
	while (view_next_row(&l, &row))
		if (stat_value(row.stat, which, &v)) {
			sum += v;
			*largest = v > *largest ? v : *largest;
		}
	return sum;
}

/* Get the value of a row, in percent of `sum` if --percent is given. */
static bool view_row_value(const struct shown *s, const struct view_row *row, enum statistic which,
			   double sum, double *ret)
{
	if (!stat_value(row->stat, which, ret))
		return false;
	if (s->view->percent && view_can_be_percent(s->class))
		*ret = sum > 0 ? 100 * *ret / sum : 0;
	return true;
}

static void view_format_number(char to[24], bool known, double v)
{
	if (known)
		snprintf(to, 24, "%11.2f", v);
	else
		snprintf(to, 24, "%11s", "-");
}

static double view_full_scale(const struct shown *s, const struct page_rows *r, double largest)
{
	if (s->view->percent && view_can_be_percent(s->class))
		return 100;
	if (s->class == VMS_MODES)
		return r->series == &s->stats->of[VMS_MODES].all ?
		       100.0 * (double)s->stats->of[VMS_MODES].n : 100;
	return view_scale_end(largest);
}

static void view_add_bars(const struct shown *s, const struct page_rows *r, struct page *ret)
{
	struct row_list l = { s, r, 0, 0 };
	enum statistic which = s->moment ? s->view->which : STAT_AVERAGE;
	double largest, sum = view_sum_rows(s, r, which, &largest), full = view_full_scale(s, r,
											   largest);
	struct view_row row;
	char number[24];
	while (view_next_row(&l, &row)) {
		double v = 0;
		bool known = view_row_value(s, &row, which, sum, &v);
		view_format_number(number, known, v);
		page_add(ret, known ? v / full : 0, "%-28.28s %s", row.label, number);
	}
	page_add(ret, -1, "%-28s %11s 0 to %.0f", "", "", full);
}

static void view_add_table(const struct shown *s, const struct page_rows *r, struct page *ret)
{
	struct row_list l = { s, r, 0, 0 };
	double sum[STATISTICS], largest;
	struct view_row row;
	for (int i = 0; i < STATISTICS; i++)
		sum[i] = view_sum_rows(s, r, (enum statistic)i, &largest);
	while (view_next_row(&l, &row)) {
		char number[STATISTICS][24];
		for (int i = 0; i < STATISTICS; i++) {
			double v = 0;
			bool known = (s->moment || i != STAT_CURRENT) &&
				     view_row_value(s, &row, (enum statistic)i, sum[i], &v);
			view_format_number(number[i], known, v);
		}
		page_add(ret, -1, "%-28.28s %s %s %s %s", row.label, number[0], number[1],
			 number[2], number[3]);
	}
}

static void view_add_rows(const struct shown *s, const struct page_rows *r, struct page *ret)
{
	if (r->bars)
		view_add_bars(s, r, ret);
	else
		view_add_table(s, r, ret);
	if (ret->n == 0)
		page_add(ret, -1, "none");
}

/* Indexes of the items of class PROCESSES. */
enum { UIC = 1, STATE, PRIORITY, NAME, GLOBAL, PRIVATE, DIRECT_IO = 8, FAULTS, CPU, EPID = 12 };

static const char *view_state_name(uint32_t number)
{
	const struct vms_class *c = &vms_classes[VMS_STATES];
	return number >= 1 && number <= c->n_items ? c->item[number - 1].name : "?";
}

static void view_format_count(const struct vms_set *set, size_t block, size_t item, char to[16])
{
	if (set->absent >> item & 1)
		snprintf(to, 16, "-");
	else
		snprintf(to, 16, "%u", vms_number(set, block, item));
}

/* Format a CPU time, which is in units of 10 ms. */
static void view_format_cpu(const struct vms_set *set, size_t block, char to[24])
{
	uint32_t t = vms_number(set, block, CPU);
	snprintf(to, 24, "%02u:%02u:%02u.%02u", t / 360000, t / 6000 % 60, t / 100 % 60, t % 100);
}

/*
 * Order of the process list: processes of users, then of the system, then of the kernel. Kernel
 * processes have no memory. Users have ids from UID_MIN (login.defs(5)) or, on OpenVMS, group
 * numbers above MAXSYSGROUP; the defaults of both limits are assumed.
 */
enum rank { OF_USER, OF_SYSTEM, OF_KERNEL, RANKS };

static enum rank view_process_rank(const struct shown *s, const struct vms_set *set, size_t block)
{
	enum { NOBODY = 65534, UID_MIN = 1000, MAXSYSGROUP = 8 };
	const struct vms_node *n = s->node;
	uint32_t uic = vms_number(set, block, UIC), uid = uic & 0xFFFF;
	if (n && n->noted ? uid >= UID_MIN && uid != NOBODY : uic >> 16 > MAXSYSGROUP)
		return OF_USER;
	return vms_number(set, block, GLOBAL) || vms_number(set, block, PRIVATE) ? OF_SYSTEM :
		OF_KERNEL;
}

static void view_add_process(const struct vms_set *set, size_t block, struct page *ret)
{
	struct str name = vms_text(set, block, NAME);
	char dio[16], faults[16], cpu[24];
	view_format_count(set, block, DIRECT_IO, dio);
	view_format_count(set, block, FAULTS, faults);
	view_format_cpu(set, block, cpu);
	page_add(ret, -1, "%08X %-6s %3u %-15.*s %9u %9u %9s %9s %12s",
		 vms_number(set, block, EPID), view_state_name(vms_number(set, block, STATE)),
		 vms_number(set, block, PRIORITY), STR_ARG(name), vms_number(set, block, GLOBAL),
		 vms_number(set, block, PRIVATE), dio, faults, cpu);
}

static void view_add_process_list(const struct shown *s, struct page *ret)
{
	const struct vms_set *set = &s->moment->set[VMS_PROCESSES];
	page_text(ret->columns, "%8s %-6s %3s %-15s %9s %9s %9s %9s %12s", "PID", "STATE", "PRI",
		  "NAME", "GLOBAL", "PAGES", "DIOCNT", "FAULTS", "CPU TIME");
	for (int rank = 0; rank < RANKS; rank++)
		for (size_t i = 0; i < set->n; i++)
			if ((int)view_process_rank(s, set, i) == rank)
				view_add_process(set, i, ret);
}

/*
 * Return the element with the largest value among those not marked done, and mark it done. Returns
 * NULL if no such value is above 0.
 */
static const struct stats_series *view_next_largest(const struct class_stats *c, size_t item,
						    bool *done)
{
	const struct stats_series *best = NULL;
	double most = 0, v;
	for (size_t i = 0; i < c->n; i++)
		if (!done[i] && stat_value(&c->series[i].of[item], STAT_CURRENT, &v) && v > most) {
			most = v;
			best = &c->series[i];
		}
	if (best)
		done[best - c->series] = true;
	return best;
}

static void view_free_flags(bool **flags)
{
	free(*flags);
}

static void view_add_process_bars(const struct shown *s, struct page *ret)
{
	const struct class_stats *c = &s->stats->of[VMS_PROCESSES];
	bool *done CLEANUP(view_free_flags) = xrealloc(NULL, c->n + 1);
	double scale = 0, v;
	memset(done, 0, c->n);
	for (size_t i = 0; i < VIEW_TOP; i++) {
		const struct stats_series *p = view_next_largest(c, s->view->top, done);
		if (!p)
			break;
		stat_value(&p->of[s->view->top], STAT_CURRENT, &v);
		if (i == 0)
			scale = s->view->top == CPU ? view_scale_end(v < 100 ? 100 : v) :
						      view_scale_end(v);
		page_add(ret, v / scale, "%-28.28s %11.2f", p->name, v);
	}
	if (ret->n)
		page_add(ret, -1, "%-28s %11s 0 to %.0f", "", "", scale);
	else
		page_add(ret, -1, "no process has a value above 0");
}

static void view_add_processes(const struct shown *s, bool bars, struct page *ret)
{
	const struct vms_class *c = &vms_classes[VMS_PROCESSES];
	if (!s->moment || !moment_has(s->moment, VMS_PROCESSES)) {
		page_add(ret, -1, "processes are shown for one moment, not for a period");
		return;
	}
	if (!bars) {
		view_add_process_list(s, ret);
		return;
	}
	page_text(ret->columns, "%-28s %11s", c->item[s->view->top].title, "CUR");
	if (s->moment->set[VMS_PROCESSES].absent >> s->view->top & 1)
		page_add(ret, -1, "unknown: only root may read it for other users' processes");
	else
		view_add_process_bars(s, ret);
}

void view_make(const struct shown *s, size_t page, struct page *ret)
{
	const struct vms_class *c = &vms_classes[s->class];
	struct page_rows rows = { .item = VMS_ITEMS_MAX, .bars = view_has_bars(s) };
	const char *title = "";
	page_clear(ret);
	if (s->class == VMS_MODES) {
		rows.series = s->view->each_cpu ? view_nth_cpu(s,
							       page) : &s->stats->of[s->class].all;
		title = s->view->each_cpu && rows.series ? rows.series->name : "all CPUs";
	} else if (view_page_item(s, page) < VMS_ITEMS_MAX) {
		rows.item = view_page_item(s, page);
		title = c->item[rows.item].title;
	} else if (s->stats->of[s->class].n) {
		rows.series = &s->stats->of[s->class].series[0];
	}
	view_put_frame(s, title, ret);
	if (s->class == VMS_PROCESSES)
		view_add_processes(s, s->view->top < VMS_ITEMS_MAX, ret);
	else if (rows.series || rows.item < VMS_ITEMS_MAX)
		view_add_rows(s, &rows, ret);
}
