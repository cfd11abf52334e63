/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c - what was recorded over all of its time: pages of one file, columns of several */
#include "monitor/summary.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 1024
#define AT_ONCE 4		/* columns side by side, beside what all of them say */
#define LABEL 26

struct stats *run_stats(struct run *r, uint8_t index)
{
	if (!r->of[index]) {
		r->of[index] = xrealloc(NULL, sizeof(struct stats));
		*r->of[index] = (struct stats){ .moments = 0 };
		r->host[index] = xstrdup(moments_host(&r->from, index));
	}
	return r->of[index];
}

void run_close(struct run *r)
{
	for (size_t i = 0; i < VMS_NODES_MAX; i++) {
		if (r->of[i])
			stats_free(r->of[i]);
		free(r->of[i]);
		free(r->host[i]);
	}
	moments_close(&r->from);
}

static void put_class(struct buf *b, struct shown *s, struct page *page)
{
	if (s->class == VMS_PROCESSES || !s->stats->of[s->class].moments)
		return;
	for (size_t i = 0; i < view_pages(s); i++) {
		view_make(s, i, page);
		page_put(page, b);
		buf_add_char(b, '\n');
	}
}

void summary_put_one(struct buf *b, const struct run *r, const struct view *view)
{
	struct page page CLEANUP(page_free) = { .n = 0 };
	struct view tables = *view;
	if (tables.form == VIEW_USUAL)
		tables.form = VIEW_TABLE;
	for (size_t i = 0; i < VMS_NODES_MAX; i++) {
		struct shown s = { .view = &tables, .stats = r->of[i], .from = &r->from,
				   .index = (uint8_t)i };
		for (s.class = 0; r->of[i] && s.class < VMS_CLASSES; s.class++)
			put_class(b, &s, &page);
	}
}

struct column {
	const char *host, *file;	/* .file NULL: of several */
	const struct stats *of[COLUMNS_MAX];
	size_t n;
};

struct columns {
	struct column *column;
	size_t n, cap;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static struct column *find_column(struct columns *l, const char *host, const char *file,
				  bool by_node)
{
	for (size_t i = 0; by_node && i < l->n; i++)
		if (strcmp(l->column[i].host, host) == 0)
			return &l->column[i];
	l->column = vec_reserve(l->column, &l->cap, l->n + 1, sizeof(*l->column));
	struct column *c = &l->column[l->n++];
	*c = (struct column){ .host = host, .file = by_node ? NULL : base_name(file) };
	return c;
}

static void make_columns(struct columns *l, const struct run *r, size_t n, bool by_node)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < VMS_NODES_MAX; k++) {
			if (!r[i].of[k] || l->n == COLUMNS_MAX)
				continue;
			struct column *c = find_column(l, r[i].host[k], r[i].from.name, by_node);
			c->of[c->n++] = r[i].of[k];
		}
}

/* A line: an item of a system class, or an item of an element. */
struct label {
	char text[40];
	size_t item;
	bool element;
};

struct labels {
	struct label *label;
	size_t n, cap;
};

static void add_label(struct labels *l, const char *text, size_t item, bool element)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->label[i].item == item && strcmp(l->label[i].text, text) == 0)
			return;
	l->label = vec_reserve(l->label, &l->cap, l->n + 1, sizeof(*l->label));
	l->label[l->n] = (struct label){ .item = item, .element = element };
	str_copy(l->label[l->n++].text, sizeof(l->label->text), str_of(text));
}

static bool has_rows(size_t class, size_t item)
{
	enum vms_kind kind = vms_classes[class].item[item].kind;
	return kind == VMS_COUNT || kind == VMS_AMOUNT;
}

static void add_elements(struct labels *l, const struct class_stats *c, size_t item)
{
	for (size_t i = 0; i < c->n; i++)
		add_label(l, c->series[i].name, item, true);
}

static void make_labels(struct labels *l, const struct columns *columns, size_t class, size_t item)
{
	const struct vms_class *c = &vms_classes[class];
	l->n = 0;
	for (size_t i = 0; item == VMS_ITEMS_MAX && i < c->n_items; i++)
		if (has_rows(class, i))
			add_label(l, c->item[i].title, i, false);
	for (size_t i = 0; item < VMS_ITEMS_MAX && i < columns->n; i++)
		for (size_t k = 0; k < columns->column[i].n; k++)
			add_elements(l, &columns->column[i].of[k]->of[class], item);
}

static const struct series *find_series(const struct class_stats *c, size_t class,
					const struct label *l)
{
	if (!l->element)
		return class == VMS_MODES ? &c->all : c->n ? &c->series[0] : NULL;
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->series[i].name, l->text) == 0)
			return &c->series[i];
	return NULL;
}

/* The average over all that the column has; false: it has nothing. */
static bool cell(const struct column *c, size_t class, const struct label *l, double *ret)
{
	double total = 0, weight = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct series *s = find_series(&c->of[i]->of[class], class, l);
		total += s ? s->of[l->item].total : 0;
		weight += s ? s->of[l->item].weight : 0;
	}
	*ret = weight > 0 ? total / weight : 0;
	return weight > 0;
}

static void put_cell(struct buf *b, bool known, double v)
{
	if (known)
		buf_addf(b, " %10.2f", v);
	else
		buf_addf(b, " %10s", "-");
}

/* Average, least and largest of what the columns show. */
static void put_row(struct buf *b, const struct columns *l, size_t class, const struct label *label)
{
	double sum = 0, least = 0, largest = 0, v;
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		if (!cell(&l->column[i], class, label, &v))
			continue;
		least = n && least < v ? least : v;
		largest = n && largest > v ? largest : v;
		sum += v;
		n++;
	}
	put_cell(b, n, n ? sum / (double)n : 0);
	put_cell(b, n, least);
	put_cell(b, n, largest);
}

static void put_heads(struct buf *b, const struct columns *l, size_t from, size_t to, bool last)
{
	buf_addf(b, "%-*s", LABEL, "");
	for (size_t i = from; i < to; i++)
		buf_addf(b, " %10.10s", l->column[i].host);
	buf_addf(b, "%s\n%-*s", last ? "        ROW        ROW        ROW" : "", LABEL, "AVERAGE");
	for (size_t i = from; i < to; i++)
		buf_addf(b, " %10.10s", l->column[i].file ? l->column[i].file : "");
	buf_addf(b, "%s\n", last ? "    AVERAGE    MINIMUM    MAXIMUM" : "");
}

static void put_table(struct buf *b, const struct columns *l, size_t class,
		      const struct labels *labels, const char *title)
{
	buf_addf(b, "%s%s%s\n", vms_classes[class].title, title ? ": " : "", title ? title : "");
	for (size_t from = 0; from < l->n; from += AT_ONCE) {
		size_t to = from + AT_ONCE < l->n ? from + AT_ONCE : l->n;
		bool last = to == l->n;
		put_heads(b, l, from, to, last);
		for (size_t i = 0; i < labels->n; i++) {
			double v;
			buf_addf(b, "%-*.*s", LABEL, LABEL, labels->label[i].text);
			for (size_t k = from; k < to; k++) {
				bool known = cell(&l->column[k], class, &labels->label[i], &v);
				put_cell(b, known, v);
			}
			if (last)
				put_row(b, l, class, &labels->label[i]);
			buf_add_char(b, '\n');
		}
		buf_add_char(b, '\n');
	}
}

static bool any_has(const struct columns *l, size_t class)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->column[i].n; k++)
			if (l->column[i].of[k]->of[class].moments)
				return true;
	return false;
}

static void put_missed(struct buf *b, const struct run *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < VMS_NODES_MAX; k++) {
			const struct vms_node *node = r[i].from.node[k];
			if (r[i].of[k] && node && node->missed)
				buf_addf(b, "%s %s: %u moments missed\n", r[i].host[k],
					 base_name(r[i].from.name), node->missed);
		}
}

/* Processes and clusters are not compared: MONITOR leaves them out, too. */
void summary_put_many(struct buf *b, const struct run *r, size_t n, const struct view *view,
		      bool by_node)
{
	struct columns columns = { .n = 0 };
	struct labels labels = { .n = 0 };
	make_columns(&columns, r, n, by_node);
	put_missed(b, r, n);
	for (size_t class = 1; class < VMS_CLASSES; class++) {
		struct shown s = { .view = view, .class = class };
		if (class == VMS_CLUSTER || !any_has(&columns, class))
			continue;
		size_t item, page = 0;
		do {
			item = view_page_item(&s, page++);
			make_labels(&labels, &columns, class, item);
			put_table(b, &columns, class, &labels, item < VMS_ITEMS_MAX ?
				  vms_classes[class].item[item].title : NULL);
		} while (item < VMS_ITEMS_MAX && page < view_pages(&s));
	}
	free(columns.column);
	free(labels.label);
}
