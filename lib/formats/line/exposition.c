/* SPDX-License-Identifier: BSD-3-Clause */
/* exposition.c - encode series as Prometheus or OpenMetrics text */
#include "formats/line/exposition.h"

#include "base/json.h"
#include "base/utf8.h"

struct exposition_page {
	struct buf *to;
	struct exposition_form form;
	struct str name;	/* name of the current family */
	bool left_out;		/* do not write the current family */
};

static void exposition_put_escaped(struct buf *b, struct str text)
{
	struct str c;
	while (text.n) {
		bool good = utf8_take(&text, &c);
		if (*c.p == '\n')
			c = STR("\\n");
		else if (*c.p == '"' || *c.p == '\\')
			buf_add_char(b, '\\');
		buf_add(b, good ? c : STR("?"));
	}
}

void exposition_put_quoted(struct buf *b, struct str text)
{
	buf_add_char(b, '"');
	exposition_put_escaped(b, text);
	buf_add_char(b, '"');
}

/*
 * Return the metric type for the line "# TYPE". A counter whose name does not end in "_total", as
 * some of node_exporter's, is "unknown" (OpenMetrics) or "untyped" (Prometheus).
 */
static const char *exposition_type_of(const struct exposition_page *p,
				      const struct series_family *f)
{
	if (f->kind != COUNTER)
		return "gauge";
	if (str_ends(str_of(f->name), STR("_total")))
		return "counter";
	return p->form.openmetrics ? "unknown" : "untyped";
}

static void exposition_put_family(void *arg, const struct series_family *f)
{
	struct exposition_page *p = arg;
	p->name = str_of(f->name);
	p->left_out = p->form.beside && str_starts(p->name, STR("node_"));
	if (p->left_out)
		return;
	struct str base = p->name;
	if (p->form.openmetrics && f->kind == COUNTER && str_ends(base, STR("_total")))
		base.n -= sizeof("_total") - 1;
	if (*f->help) {
		buf_addf(p->to, "# HELP " STR_FMT " ", STR_ARG(base));
		exposition_put_escaped(p->to, str_of(f->help));
		buf_add_char(p->to, '\n');
	}
	buf_addf(p->to, "# TYPE " STR_FMT " %s\n", STR_ARG(base), exposition_type_of(p, f));
}

static void exposition_put_sample(void *arg, const struct series_sample *s)
{
	struct exposition_page *p = arg;
	if (p->left_out)
		return;
	buf_add(p->to, p->name);
	for (size_t i = 0; i < s->n_labels; i++) {
		buf_add_char(p->to, i ? ',' : '{');
		buf_add(p->to, s->label[i].name);
		buf_add_char(p->to, '=');
		exposition_put_quoted(p->to, s->label[i].value);
	}
	if (s->n_labels)
		buf_add_char(p->to, '}');
	buf_add_char(p->to, ' ');
	json_put_double(p->to, s->value);
	if (p->form.timed) {
		buf_add_char(p->to, ' ');
		buf_add_time(p->to, s->usec);
	}
	buf_add_char(p->to, '\n');
}

void exposition_put(struct buf *to, const struct line_node *node, const struct record *r,
		    struct exposition_form form)
{
	struct exposition_page p = { .to = to, .form = form };
	series_walk(&series_prometheus, node, r,
		    &(struct series_listener){ exposition_put_family, exposition_put_sample, &p,
					      .scraped = form.scraped });
}

void exposition_put_head(struct buf *to, const char *prefix, const char *name, const char *help,
			 enum metric_kind kind)
{
	buf_addf(to, "# HELP %s%s %s\n# TYPE %s%s %s\n", prefix, name, help, prefix, name,
		 kind == COUNTER ? "counter" : "gauge");
}

void exposition_put_name(struct buf *to, const char *prefix, const char *name,
			 enum metric_kind kind)
{
	buf_addf(to, "%s%s%s", prefix, name, kind == COUNTER ? "_total" : "");
}
