/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c - summarize recordings: pages for one file, a table of averages for several */
#include "openvms/summary.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"

#define COLUMNS_MAX 1024
/* number of columns side by side, without the columns of row statistics */
#define AT_ONCE 4
#define LABEL 26

/* Return true if a and b have different names or different hostnames. An empty name is ignored. */
static bool summary_is_other_node(const struct vms_node *a, const struct vms_node *b)
{
	return (a->name[0] && b->name[0] && strcmp(a->name, b->name) != 0) ||
	       (a->host[0] && b->host[0] && strcmp(a->host, b->host) != 0);
}

/*
 * Return the description of the node that has this index now. If the node is unknown, only .index
 * is set, and all other members are 0.
 */
static struct vms_node summary_node_facts(const struct monitor_run *r, uint8_t index)
{
	const struct vms_node *n = r->from.node[index];
	return n ? *n : (struct vms_node){ .index = index };
}

/* Find the node that left earlier and is now back as `now`. Returns NULL if there is none. */
static struct monitor_node *summary_find_returned(struct monitor_run *r, const struct vms_node *now)
{
	for (size_t i = 0; i < r->n_nodes && now->name[0]; i++)
		if (!r->node[i]->here && !summary_is_other_node(&r->node[i]->facts, now))
			return r->node[i];
	return NULL;
}

static struct monitor_node *summary_add_node(struct monitor_run *r, uint8_t index)
{
	size_t at = r->n_nodes;
	if (at == RUN_NODES_MAX) {
		if (!r->full)
			log_warning("%s: more than %d nodes: the others are left out", r->from.name,
				    RUN_NODES_MAX);
		r->full = true;
		return NULL;
	}
	struct monitor_node *n = xrealloc(NULL, sizeof(*n));
	*n = (struct monitor_node){ .index = index };
	r->node = vec_reserve(r->node, &r->cap_nodes, at + 1, sizeof(*r->node));
	for (; at && r->node[at - 1]->index > index; at--)
		r->node[at] = r->node[at - 1];
	r->node[at] = n;
	r->n_nodes++;
	return n;
}

struct monitor_node *run_node_of_moment(struct monitor_run *r)
{
	uint8_t index = r->from.moment.index;
	struct vms_node now = summary_node_facts(r, index);
	struct monitor_node *n = r->at[index];
	if (!n && (n = summary_find_returned(r, &now)))
		stats_restart(&n->stats);
	if (!n)
		n = summary_add_node(r, index);
	if (!n)
		return NULL;
	n->here = true;
	n->facts = now;
	r->at[index] = n;
	return n;
}

void run_lose_node(struct monitor_run *r)
{
	struct monitor_node **n = &r->at[r->from.index];
	if (*n)
		(*n)->here = false;
	*n = NULL;
}

/*
 * Restart the counters if the node was rebooted, or its boot time is unknown. If another node has
 * the index, the old node has left.
 */
bool run_take_node(struct monitor_run *r)
{
	struct vms_node now = summary_node_facts(r, r->from.index);
	struct monitor_node *n = r->at[r->from.index];
	if (!n)
		return false;
	if (summary_is_other_node(&n->facts, &now)) {
		run_lose_node(r);
		return true;
	}
	if (!now.boot || now.boot != n->facts.boot)
		stats_restart(&n->stats);
	n->facts = now;
	return false;
}

void run_close(struct monitor_run *r)
{
	for (size_t i = 0; i < r->n_nodes; i++) {
		stats_free(&r->node[i]->stats);
		free(r->node[i]);
	}
	free(r->node);
	moments_close(&r->from);
}

static void summary_put_class(struct buf *b, struct shown *s, struct page *page)
{
	if (s->class == VMS_PROCESSES || !s->stats->of[s->class].moments)
		return;
	for (size_t i = 0; i < view_pages(s); i++) {
		view_make(s, i, page);
		page_put(page, b);
		buf_add_char(b, '\n');
	}
}

void summary_put_one(struct buf *b, const struct monitor_run *r, const struct view *view)
{
	struct page page CLEANUP(page_free) = { .n = 0 };
	struct view tables = *view;
	if (tables.form == VIEW_USUAL)
		tables.form = VIEW_TABLE;
	for (size_t i = 0; i < r->n_nodes; i++) {
		struct shown s = { .view = &tables, .stats = &r->node[i]->stats, .from = &r->from,
				   .node = &r->node[i]->facts };
		for (s.class = 0; s.class < VMS_CLASSES; s.class++)
			summary_put_class(b, &s, &page);
	}
}

struct summary_column {
	struct str host;
	const char *file;		/* base name of the file; NULL: several files */
	const struct stats *of[COLUMNS_MAX];
	size_t n;
};

struct summary_columns {
	struct summary_column *column;
	size_t n, cap;
};

static const char *summary_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static struct summary_column *summary_find_column(struct summary_columns *l, struct str host,
						  const char *file,
						  bool by_node)
{
	for (size_t i = 0; by_node && i < l->n; i++)
		if (str_eq(l->column[i].host, host))
			return &l->column[i];
	l->column = vec_reserve(l->column, &l->cap, l->n + 1, sizeof(*l->column));
	struct summary_column *c = &l->column[l->n++];
	*c = (struct summary_column){ .host = host,
				      .file = by_node ? NULL : summary_base_name(file) };
	return c;
}

static void summary_make_columns(struct summary_columns *l, const struct monitor_run *r, size_t n,
				 bool by_node)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < r[i].n_nodes && l->n < COLUMNS_MAX; k++) {
			const struct monitor_node *node = r[i].node[k];
			struct summary_column *c = summary_find_column(l,
								       moments_host(&node->facts),
								       r[i].from.name, by_node);
			if (c->n < COLUMNS_MAX)
				c->of[c->n++] = &node->stats;
		}
}

/* The label of a row: the title of an item, or the name of an element such as a disk. */
struct label {
	char text[40];
	size_t item;
	bool element;
};

struct labels {
	struct label *label;
	size_t n, cap;
};

static void summary_add_label(struct labels *l, const char *text, size_t item, bool element)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->label[i].item == item && strcmp(l->label[i].text, text) == 0)
			return;
	l->label = vec_reserve(l->label, &l->cap, l->n + 1, sizeof(*l->label));
	l->label[l->n] = (struct label){ .item = item, .element = element };
	str_copy(l->label[l->n++].text, sizeof(l->label->text), str_of(text));
}

static bool summary_shows_item(size_t class, size_t item)
{
	enum vms_kind kind = vms_classes[class].item[item].kind;
	return kind == VMS_COUNT || kind == VMS_AMOUNT;
}

static void summary_add_elements(struct labels *l, const struct class_stats *c, size_t item)
{
	for (size_t i = 0; i < c->n; i++)
		summary_add_label(l, c->series[i].name, item, true);
}

static void summary_make_labels(struct labels *l, const struct summary_columns *columns,
				size_t class,
				size_t item)
{
	const struct vms_class *c = &vms_classes[class];
	l->n = 0;
	for (size_t i = 0; item == VMS_ITEMS_MAX && i < c->n_items; i++)
		if (summary_shows_item(class, i))
			summary_add_label(l, c->item[i].title, i, false);
	for (size_t i = 0; item < VMS_ITEMS_MAX && i < columns->n; i++)
		for (size_t k = 0; k < columns->column[i].n; k++)
			summary_add_elements(l, &columns->column[i].of[k]->of[class], item);
}

static const struct stats_series *summary_find_series(const struct class_stats *c, size_t class,
						const struct label *l)
{
	if (!l->element)
		return class == VMS_MODES ? &c->all : c->n ? &c->series[0] : NULL;
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->series[i].name, l->text) == 0)
			return &c->series[i];
	return NULL;
}

/*
 * Compute the average of a row over the nodes and files of a column. Returns false if there is no
 * value.
 */
static bool summary_average(const struct summary_column *c, size_t class, const struct label *l,
			    double *ret)
{
	double total = 0, weight = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct stats_series *s = summary_find_series(&c->of[i]->of[class], class, l);
		total += s ? s->of[l->item].total : 0;
		weight += s ? s->of[l->item].weight : 0;
	}
	*ret = weight > 0 ? total / weight : 0;
	return weight > 0;
}

static void summary_put_cell(struct buf *b, bool known, double v)
{
	if (known)
		buf_addf(b, " %10.2f", v);
	else
		buf_addf(b, " %10s", "-");
}

/* Append the average, minimum and maximum of a row's cells. */
static void summary_put_row_statistics(struct buf *b, const struct summary_columns *l, size_t class,
				       const struct label *label)
{
	double sum = 0, least = 0, largest = 0, v;
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		if (!summary_average(&l->column[i], class, label, &v))
			continue;
		least = n && least < v ? least : v;
		largest = n && largest > v ? largest : v;
		sum += v;
		n++;
	}
	summary_put_cell(b, n, n ? sum / (double)n : 0);
	summary_put_cell(b, n, least);
	summary_put_cell(b, n, largest);
}

static void summary_put_heads(struct buf *b, const struct summary_columns *l, size_t from,
			      size_t to,
			      bool last)
{
	buf_addf(b, "%-*s", LABEL, "");
	for (size_t i = from; i < to; i++)
		buf_addf(b, " %10.*s", l->column[i].host.n < 10 ? (int)l->column[i].host.n : 10,
			 l->column[i].host.p);
	buf_addf(b, "%s\n%-*s", last ? "        ROW        ROW        ROW" : "", LABEL, "AVERAGE");
	for (size_t i = from; i < to; i++)
		buf_addf(b, " %10.10s", l->column[i].file ? l->column[i].file : "");
	buf_addf(b, "%s\n", last ? "    AVERAGE    MINIMUM    MAXIMUM" : "");
}

static void summary_put_table(struct buf *b, const struct summary_columns *l, size_t class,
			      const struct labels *labels, const char *title)
{
	buf_addf(b, "%s%s%s\n", vms_classes[class].title, title ? ": " : "", title ? title : "");
	for (size_t from = 0; from < l->n; from += AT_ONCE) {
		size_t to = from + AT_ONCE < l->n ? from + AT_ONCE : l->n;
		bool last = to == l->n;
		summary_put_heads(b, l, from, to, last);
		for (size_t i = 0; i < labels->n; i++) {
			double v;
			buf_addf(b, "%-*.*s", LABEL, LABEL, labels->label[i].text);
			for (size_t k = from; k < to; k++) {
				bool known = summary_average(&l->column[k], class,
							     &labels->label[i], &v);
				summary_put_cell(b, known, v);
			}
			if (last)
				summary_put_row_statistics(b, l, class, &labels->label[i]);
			buf_add_char(b, '\n');
		}
		buf_add_char(b, '\n');
	}
}

static bool summary_any_has_class(const struct summary_columns *l, size_t class)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->column[i].n; k++)
			if (l->column[i].of[k]->of[class].moments)
				return true;
	return false;
}

static void summary_put_missed(struct buf *b, const struct monitor_run *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < r[i].n_nodes; k++) {
			const struct vms_node *node = &r[i].node[k]->facts;
			if (node->missed)
				buf_addf(b, STR_FMT " %s: %u moments missed\n",
					 STR_ARG(moments_host(node)),
					 summary_base_name(r[i].from.name),
					 node->missed);
		}
}

/* Leave out classes PROCESSES and CLUSTER, as MONITOR does in a summary of several files. */
void summary_put_many(struct buf *b, const struct monitor_run *r, size_t n, const struct view *view,
		      bool by_node)
{
	struct summary_columns columns = { .n = 0 };
	struct labels labels = { .n = 0 };
	summary_make_columns(&columns, r, n, by_node);
	summary_put_missed(b, r, n);
	for (size_t class = 1; class < VMS_CLASSES; class++) {
		struct shown s = { .view = view, .class = class };
		if (class == VMS_CLUSTER || !summary_any_has_class(&columns, class))
			continue;
		size_t item, page = 0;
		do {
			item = view_page_item(&s, page++);
			summary_make_labels(&labels, &columns, class, item);
			summary_put_table(b, &columns, class, &labels, item < VMS_ITEMS_MAX ?
					  vms_classes[class].item[item].title : NULL);
		} while (item < VMS_ITEMS_MAX && page < view_pages(&s));
	}
	free(columns.column);
	free(labels.label);
}
