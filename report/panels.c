/* SPDX-License-Identifier: BSD-3-Clause */
/* panels.c - what nodometer plot draws: panels, made of the report's figures or of named keys */
#include "report/panels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"

static const struct figure open_files = {
	.type = "xrootd", .key = "open_files", .how = FIGURE_PEAK,
};

/*
 * The usual page, in its order, two in a row. Of rows with one title the one with the fewest steps
 * that are not plain is drawn; figures of a row that no node has are left out of its sum.
 */
static const struct usual {
	const char *title;
	const char *id[PANEL_FIGURES];
	const char *unit_name;
	const struct figure *drawn;	/* instead, where these have data: no figure of reports */
} usual[] = {
	{ "CPU, user",              { "cpu.user", "cpu.nice" } },
	{ "CPU, system",            { "cpu.system", "cpu.irq", "cpu.softirq" } },
	{ "CPU, waiting for disks", { "cpu.iowait" } },
	{ "Load",                   { "load.mean" } },
	{ "Memory used",            { "mem.MemUsed" } },
	{ "Memory in programs",     { "mem.hwm" } },
	{ "Job itself, CPU time",   { "job.cpu" }, "CPUs" },
	{ "Job itself, memory",     { "job.mem" } },
	{ "Job itself, read",       { "job.rd_bytes" } },
	{ "Job itself, written",    { "job.wr_bytes" } },
	{ "GPUs busy",              { "nvidia_gpu.utilization" }, "GPUs" },
	{ "GPUs busy",              { "nvidia_gpu.gpu_util" }, "GPUs" },
	{ "GPUs busy",              { "amd_gpu.gpu_util" }, "GPUs" },
	{ "GPU memory",             { "nvidia_gpu.memused" } },
	{ "GPU memory",             { "nvidia_gpu.gpu_mem_used_mb" } },
	{ "GPU memory",             { "amd_gpu.gpu_mem_used_mb" } },
	{ "Network received",       { "net.rx_bytes" } },
	{ "Network sent",           { "net.tx_bytes" } },
	{ "Fabric received",        { "ib_ext.port_rcv_data" } },
	{ "Fabric received",        { "ib_sw.rx_bytes" } },
	{ "Fabric received",        { "ib.port_rcv_data" } },
	{ "Fabric received",        { "opa.PortRcvData" } },
	{ "Fabric sent",            { "ib_ext.port_xmit_data" } },
	{ "Fabric sent",            { "ib_sw.tx_bytes" } },
	{ "Fabric sent",            { "ib.port_xmit_data" } },
	{ "Fabric sent",            { "opa.PortXmitData" } },
	{ "Lustre, read",           { "llite.read_bytes" } },
	{ "Lustre, written",        { "llite.write_bytes" } },
	{ "NFS, read",              { "nfs.server_read" } },
	{ "NFS, written",           { "nfs.server_write" } },
	{ "Disks, read",            { "block.rd_sectors" } },
	{ "Disks, written",         { "block.wr_sectors" } },
	{ "Power, packages",        { "intel_rapl.pkg_energy" } },
	{ "Power, packages",        { "amd64_rapl.pkg_energy" } },
	{ "Power, memory",          { "intel_rapl.dram_energy" } },
	{ "Power, GPUs",            { "nvidia_gpu.energy" } },
	{ "Power, GPUs",            { "amd_gpu.energy" } },
	{ "XRootD, opens",          { "xrootd.opens" } },
	{ "XRootD, open files",     { "xrootd.opens" }, .drawn = &open_files },
	{ "XRootD, read",           { "xrootd.read_bytes", "xrootd.readv_bytes" } },
	{ "XRootD, written",        { "xrootd.write_bytes" } },
};

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

static bool same(const struct figure *a, const struct figure *b)
{
	return strcmp(a->type, b->type) == 0 && strcmp(a->key, b->key) == 0 &&
	       !a->less[0] == !b->less[0] && !a->not_device[0] == !b->not_device[0] &&
	       (!a->not_device[0] || strcmp(a->not_device[0], b->not_device[0]) == 0) &&
	       (!a->not_device[1] == !b->not_device[1]) &&
	       (!a->not_device[1] || strcmp(a->not_device[1], b->not_device[1]) == 0);
}

/* The figure's place in the table: behind the others of its type. */
static size_t add_row(struct panels *p, const struct figure *f)
{
	size_t at = p->n_rows;

	for (size_t i = 0; i < p->n_rows; i++) {
		if (same(&p->row[i], f))
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

static void add_figure(struct panels *p, struct panel *panel, const struct figure *f)
{
	size_t at = add_row(p, f);	/* before .n: it moves the figures that are there */
	panel->figure[panel->n++] = at;
	panel->share = f->how == FIGURE_SHARE;
	panel->rate = !panel->share && (figure_is_counter(f) || f->how == FIGURE_ADDED);
	panel->unit = f->unit;
	for (size_t i = 0; panel->share && i < n_figures; i++)	/* the whole of it */
		if (strcmp(figures[i].type, f->type) == 0)
			add_row(p, &figures[i]);
}

static bool has_data(const struct report *r, size_t figure)
{
	for (size_t i = 0; i < r->n && figure < n_figures; i++)
		if (value_known(&r->node[i].value[figure]))
			return true;
	return false;
}

/* Steps of a row's counter that had to be inferred; SIZE_MAX: it is on no node. */
static size_t doubts(const struct report *r, const struct usual *u)
{
	size_t figure = figure_find(u->id[0]), n = 0;
	if (!has_data(r, figure))
		return SIZE_MAX;
	for (size_t i = 0; i < r->n; i++)
		for (int h = DELTA_OK + 1; h < DELTA_HOWS; h++)
			n += h == DELTA_WRAPPED ? 0 : r->node[i].value[figure].steps[h];
	return n;
}

static void add_usual(struct panels *p, const struct report *r, const struct usual *u)
{
	struct panel *panel = new_panel(p);

	if (!panel)
		return;
	str_copy(panel->title, sizeof(panel->title), str_of(u->title));
	str_copy(panel->unit_name, sizeof(panel->unit_name),
		 str_of(u->unit_name ? u->unit_name : ""));
	if (u->drawn)
		add_figure(p, panel, u->drawn);
	for (size_t k = 0; !u->drawn && k < PANEL_FIGURES && u->id[k]; k++)
		if (has_data(r, figure_find(u->id[k])))
			add_figure(p, panel, &figures[figure_find(u->id[k])]);
}

void panels_usual(struct panels *p, const struct report *r)
{
	for (size_t i = 0, end; i < ARRAY_SIZE(usual); i = end) {
		size_t best = i;
		for (end = i + 1; end < ARRAY_SIZE(usual) &&
		     strcmp(usual[end].title, usual[i].title) == 0; end++)
			if (doubts(r, &usual[end]) < doubts(r, &usual[best]))
				best = end;
		if (doubts(r, &usual[best]) < SIZE_MAX)
			add_usual(p, r, &usual[best]);
	}
}

/* How the figures of a type look at its devices, where they agree on it. */
static void take_devices(struct figure *f, const char *type)
{
	size_t first, end;

	if (!figures_of_type((struct figures){ figures, n_figures }, str_of(type), &first, &end))
		return;
	const struct figure *a = &figures[first], *b = a + (end - first > 1);
	f->own = a->own;
	f->whole_only = a->whole_only;
	f->elsewhere = a->elsewhere;
	f->from_0 = a->from_0;
	if (a->not_device[0] && b->not_device[0] &&
	    strcmp(a->not_device[0], b->not_device[0]) == 0) {
		memcpy(f->not_device, a->not_device, sizeof(f->not_device));
		f->section = a->section;
	}
}

/* A key that is no figure of the report. */
static void add_key(struct panels *p, const struct key_found *k)
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
	add_figure(p, panel, &f);
}

static bool is_drawn(const struct panels *p, const struct figure *f)
{
	for (size_t i = 0; i < p->n; i++)
		if (same(&p->row[p->panel[i].figure[0]], f))
			return true;
	return false;
}

/* The figures of the report that are this key, as they are counted there; how many. */
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
		bool part = f.not_device[0];	/* some devices are left out */
		snprintf(panel->title, sizeof(panel->title), part ? "%s %s (%s, %s)" : "%s %s",
			 k->type, k->key, f.section, f.label);
		add_figure(p, panel, &f);
	}
	return n;
}

void panels_named(struct panels *p, const struct key_found *key, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (add_figures_of(p, &key[i]) == 0)
			add_key(p, &key[i]);
}

void panels_free(struct panels *p)
{
	free(p->row);
}

/* All shares of the type; false if one of them is broken. */
static bool whole(const struct steps *s, const char *type, double *sum)
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

bool panel_span(const struct panel *p, const struct steps *s, struct span *ret)
{
	const struct step *first = &s->step[p->figure[0]];
	double n = 0, before = 0, all;

	if (first->is != STEP_KNOWN || first->to <= first->from)
		return false;
	for (size_t k = 0; k < p->n; k++) {
		const struct step *step = &s->step[p->figure[k]];
		if (step->is == STEP_NONE)
			continue;	/* this node does not have it */
		if (step->is == STEP_BROKEN || step->from != first->from)
			return false;
		n += step->n;
		before += step->before;
	}
	if (p->share && !whole(s, s->table.row[p->figure[0]].type, &all))
		return false;
	if (p->share)
		n *= 100 / all;
	if (p->rate)
		n /= (double)(first->to - first->from) / 1e6;
	*ret = (struct span){ first->from, first->to, p->share || p->rate ? n : before, n };
	return true;
}
