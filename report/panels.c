/* SPDX-License-Identifier: BSD-3-Clause */
/* panels.c - choose the panels of nodometer plot: default figures, or what the user asked for */
#include "report/panels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "figures/totals.h"
#include "figures/usual.h"

static struct panel *new_panel(struct panels *p)
{
	if (p->n == PANELS_MAX) {
		p->left_out++;
		return NULL;
	}
	struct panel *new = &p->panel[p->n++];
	*new = (struct panel){ 0 };
	return new;
}

static bool panels_same(const struct figure *a, const struct figure *b)
{
	return strcmp(a->type, b->type) == 0 && strcmp(a->key, b->key) == 0 &&
	       a->ctl_mask == b->ctl_mask && a->ctl == b->ctl &&
	       !a->less[0] == !b->less[0] && a->once == b->once &&
	       !a->only_device == !b->only_device &&
	       (!a->only_device || strcmp(a->only_device, b->only_device) == 0);
}

/*
 * Return the index of a figure in .row. If the figure is missing, insert it after the last figure
 * of its type.
 */
static size_t panels_add_row(struct panels *p, const struct figure *f)
{
	size_t at = p->n_rows;

	for (size_t i = 0; i < p->n_rows; i++) {
		if (panels_same(&p->row[i], f))
			return i;
		if (strcmp(p->row[i].type, f->type) == 0)
			at = i + 1;
	}
	p->row = xrealloc(p->row, (p->n_rows + 1) * sizeof(*p->row));
	memmove(p->row + at + 1, p->row + at, (p->n_rows - at) * sizeof(*p->row));
	p->row[at] = *f;
	p->n_rows++;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->panel[i].n; k++)
			p->panel[i].figure[k] += p->panel[i].figure[k] >= at;
	return at;
}

static void panels_add_figure(struct panels *p, struct panel *panel, const struct figure *f)
{
	/*
	 * increase .n last: if panels_add_row() inserts a row, it renumbers the first .n elements
	 * of .figure
	 */
	size_t at = panels_add_row(p, f);
	panel->figure[panel->n++] = at;
	panel->share = f->how == FIGURE_SHARE;
	panel->rate = !panel->share && (figure_is_counter(f) || f->how == FIGURE_ADDED);
	panel->unit = f->unit;
	/* a percentage needs the sum of all shares of the type, so add a row for each share */
	for (size_t i = 0; panel->share && i < n_figures; i++)
		if (strcmp(figures[i].type, f->type) == 0)
			panels_add_row(p, &figures[i]);
}

static bool has_data(const struct report *r, size_t figure)
{
	for (size_t i = 0; i < r->n && figure < n_figures; i++)
		if (value_known(&r->node[i].value[figure]))
			return true;
	return false;
}

/*
 * Return the index in figures[], from i on, of the next figure of this panel and type that has
 * data, or n_figures if there is none.
 */
static size_t next_of(const struct report *r, const struct usual_panel *u, const char *type,
		      size_t i)
{
	while (i < n_figures &&
	       !(figures[i].panel && strcmp(figures[i].panel, u->title) == 0 &&
		 strcmp(figures[i].type, type) == 0 && has_data(r, i)))
		i++;
	return i;
}

/*
 * Count the intervals between samples in which a value had to be inferred, other than after an
 * overflow, for the panel's first figure of this type. Returns SIZE_MAX if the panel has no figure
 * of this type with data.
 */
static size_t panels_doubts(const struct report *r, const struct usual_panel *u, const char *type)
{
	size_t figure = next_of(r, u, type, 0), n = 0;
	if (figure == n_figures)
		return SIZE_MAX;
	for (size_t i = 0; i < r->n; i++)
		for (int h = DELTA_OK + 1; h < DELTA_HOWS; h++)
			n += h == DELTA_WRAPPED ? 0 : r->node[i].value[figure].steps[h];
	return n;
}

struct best {
	const char *type;	/* NULL if no type has data */
	size_t doubts;
};

static void panels_compare(struct best *best, const struct report *r, const struct usual_panel *u,
			   const char *type)
{
	size_t n = panels_doubts(r, u, type);
	if (n < best->doubts)
		*best = (struct best){ type, n };
}

static const char *best_type(const struct report *r, const struct usual_panel *u)
{
	struct best best = { NULL, SIZE_MAX };
	for (size_t i = 0; i < ARRAY_SIZE(u->prefer) && u->prefer[i]; i++)
		panels_compare(&best, r, u, u->prefer[i]);
	for (size_t i = 0; i < n_figures; i++)
		if (figures[i].panel && strcmp(figures[i].panel, u->title) == 0)
			panels_compare(&best, r, u, figures[i].type);
	return best.type;
}

static void add_usual(struct panels *p, const struct report *r, const struct usual_panel *u,
		      const char *type)
{
	struct panel *panel = new_panel(p);
	size_t i = 0;

	if (!panel)
		return;
	str_copy(panel->title, sizeof(panel->title), str_of(u->title));
	str_copy(panel->unit_name, sizeof(panel->unit_name),
		 str_of(u->unit_name ? u->unit_name : ""));
	while (panel->n < PANEL_FIGURES && (i = next_of(r, u, type, i)) < n_figures)
		panels_add_figure(p, panel, &figures[i++]);
}

/* Return whether all figures of the panel are 0 on all nodes. If so, the panel is left out. */
static bool is_all_zero(const struct report *r, const struct usual_panel *u, const char *type)
{
	size_t i = 0;
	while ((i = next_of(r, u, type, i)) < n_figures) {
		for (size_t k = 0; k < r->n; k++) {
			const struct value *v = &r->node[k].value[i];
			if (value_known(v) && value_of(&figures[i], v) != 0)
				return false;
		}
		i++;
	}
	return true;
}

static bool is_term(const struct derived_term *term, enum quantity q)
{
	bool is = false;
	for (size_t i = 0; i < DERIVED_TERMS && term[i].quantity; i++)
		is |= term[i].quantity == q;
	return is;
}

/*
 * Return whether derived figure d needs f: as a term, or as one of the two times by which
 * multiplexed counters are scaled.
 */
static bool is_of(const struct derived *d, const struct figure *f)
{
	return f->quantity && (is_term(d->over, f->quantity) || is_term(d->under, f->quantity) ||
			       f->quantity == Q_ENABLED || f->quantity == Q_RUNNING);
}

static void add_derived(struct panels *p, const struct report *r, const struct derived *d,
			const char *title)
{
	struct panel *panel = new_panel(p);

	if (!panel)
		return;
	str_copy(panel->title, sizeof(panel->title), str_of(title));
	panel->derived = d;
	panel->rate = true;
	for (size_t i = 0; i < n_figures; i++)
		if (is_of(d, &figures[i]) && has_data(r, i))
			panels_add_row(p, &figures[i]);
}

bool panels_derived(struct panels *p, const struct report *r, const struct derived *d)
{
	struct derived_total t;
	bool known = total_derived(r, (size_t)(d - derived), &t) && t.nodes > 0;
	if (known)
		add_derived(p, r, d, d->label);
	return known;
}

static void add_usual_derived(struct panels *p, const struct report *r,
			      const struct usual_panel *u)
{
	size_t i = derived_find(u->derived);
	struct derived_total t;
	if (total_derived(r, i, &t) && t.nodes > 0 && t.max > 0)
		add_derived(p, r, &derived[i], u->title);
}

void panels_usual(struct panels *p, const struct report *r)
{
	for (size_t i = 0; i < n_usual_panels; i++) {
		const struct usual_panel *u = &usual_panels[i];
		if (u->derived) {
			add_usual_derived(p, r, u);
			continue;
		}
		const char *type = best_type(r, &usual_panels[i]);
		if (type && !is_all_zero(r, &usual_panels[i], type))
			add_usual(p, r, &usual_panels[i], type);
	}
}

/* Copy to f how the report's figures of this type select and count devices. */
static void take_devices(struct figure *f, const char *type)
{
	size_t first, end;

	if (!figures_of_type((struct figures){ figures, n_figures }, str_of(type), &first, &end))
		return;
	const struct figure *a = &figures[first];
	f->job_row = a->job_row;
	f->whole_only = a->whole_only;
	f->counts_after_reboot = a->counts_after_reboot;
	f->starts_at_zero = a->starts_at_zero;
	f->once = a->once;
	if (f->once)
		f->section = a->section;
}

/* Add a panel for a key that no figure of the report uses. */
static void panels_add_key(struct panels *p, const struct key_found *k)
{
	static const enum figure_unit units[] = { UNIT_BYTES, UNIT_SECONDS, UNIT_JOULES };
	struct figure f = { .type = k->type, .key = k->key };
	struct panel *panel = new_panel(p);

	if (!panel)
		return;
	f.how = k->kind == COUNTER ? FIGURE_COUNTED : FIGURE_PEAK;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (unit_scale(units[i], k->unit_name) > 0)
			f.unit = units[i];
	take_devices(&f, k->type);
	if (f.unit == UNIT_COUNT && k->unit[0])
		snprintf(panel->unit_name, sizeof(panel->unit_name), "%.10s%s", k->unit,
			 k->kind == COUNTER ? "/s" : "");
	snprintf(panel->title, sizeof(panel->title), f.section ? "%s %s (%s)" : "%s %s", k->type,
		 k->key, f.section);
	panels_add_figure(p, panel, &f);
}

static bool is_drawn(const struct panels *p, const struct figure *f)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->panel[i].n && panels_same(&p->row[p->panel[i].figure[0]], f))
			return true;
	return false;
}

/*
 * Add a panel for each figure of the report that uses this key; the panel covers the same devices
 * as the figure. Returns the number of these figures.
 */
static size_t add_figures_of(struct panels *p, const struct key_found *k)
{
	size_t first, end, n = 0;
	struct panel *panel;

	if (!figures_of_type((struct figures){ figures, n_figures }, str_of(k->type), &first, &end))
		return 0;
	for (size_t i = first; i < end; i++) {
		struct figure f = figures[i];
		if (strcmp(f.key, k->key) != 0 || f.less[0])
			continue;
		n++;
		if (is_drawn(p, &f) || !(panel = new_panel(p)))
			continue;
		if (f.how == FIGURE_SHARE)
			f.how = FIGURE_COUNTED;
		/* whether the figure leaves out some of the devices */
		bool part = f.only_device || f.once;
		snprintf(panel->title, sizeof(panel->title), part ? "%s %s (%s, %s)" : "%s %s",
			 k->type, k->key, f.section, f.label);
		panels_add_figure(p, panel, &f);
	}
	return n;
}

void panels_named(struct panels *p, const struct key_found *key, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (key[i].kind != CONTROL && add_figures_of(p, &key[i]) == 0)
			panels_add_key(p, &key[i]);
}

void panels_free(struct panels *p)
{
	free(p->row);
}

/* Sum all shares of the type. Returns false if a share is unknown or the sum is 0. */
static bool panels_whole(const struct steps *s, const char *type, double *sum)
{
	*sum = 0;
	for (size_t i = 0; i < s->table.n; i++) {
		const struct figure *f = &s->table.row[i];
		if (f->how != FIGURE_SHARE || strcmp(f->type, type) != 0)
			continue;
		if (s->step[i].is == STEP_BROKEN)
			return false;
		*sum += s->step[i].is == STEP_KNOWN ? s->step[i].n : 0;
	}
	return *sum > 0;
}

static bool derived_span(const struct derived *d, const struct counted counted[N_QUANTITIES],
			 struct span *ret)
{
	if (!counted_derived(counted, d, &ret->v1, &ret->from, &ret->to))
		return false;
	ret->v0 = ret->v1;
	return true;
}

static bool figures_span(const struct panel *p, const struct steps *s, struct span *ret)
{
	const struct step *first = &s->step[p->figure[0]];
	double n = 0, before = 0, all;

	if (first->is != STEP_KNOWN || first->to <= first->from)
		return false;
	for (size_t k = 0; k < p->n; k++) {
		const struct step *step = &s->step[p->figure[k]];
		if (step->is == STEP_NONE)
			continue;	/* the node does not record this figure */
		if (step->is == STEP_BROKEN || step->from != first->from)
			return false;
		n += step->n;
		before += step->before;
	}
	if (p->share && !panels_whole(s, s->table.row[p->figure[0]].type, &all))
		return false;
	if (p->share)
		n *= 100 / all;
	if (p->rate)
		n /= (double)(first->to - first->from) / 1e6;
	*ret = (struct span){ first->from, first->to, p->share || p->rate ? n : before, n };
	return true;
}

bool panel_span(const struct panel *p, const struct steps *s,
		const struct counted counted[N_QUANTITIES], struct span *ret)
{
	return p->derived ? derived_span(p->derived, counted, ret) : figures_span(p, s, ret);
}
