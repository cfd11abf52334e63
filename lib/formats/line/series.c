/* SPDX-License-Identifier: BSD-3-Clause */
/* series.c - convert a record to time series with names, labels and base units */
#include "formats/line/series.h"

#include <inttypes.h>
#include "formats/line/node_facts.h"
#include "formats/xrootd/xrd_help.h"
#include "schema/type.h"

/* Units with their names in Prometheus and in OpenTelemetry (UCUM). */
static const struct series_unit series_units[] = {
	{ "B",   "bytes",   "By",  1,       1          },
	{ "KB",  "bytes",   "By",  1024,    1          },
	{ "kB",  "bytes",   "By",  1024,    1          },
	{ "MB",  "bytes",   "By",  1048576, 1          },
	{ "s",   "seconds", "s",   1,       1          },
	{ "cs",  "seconds", "s",   1,       100        },
	{ "ms",  "seconds", "s",   1,       1000       },
	{ "us",  "seconds", "s",   1,       1000000    },
	{ "ns",  "seconds", "s",   1,       1000000000 },
	{ "W",   "watts",   "W",   1,       1          },
	{ "mW",  "watts",   "W",   1,       1000       },
	{ "uW",  "watts",   "W",   1,       1000000    },
	{ "J",   "joules",  "J",   1,       1          },
	{ "mJ",  "joules",  "J",   1,       1000       },
	{ "uJ",  "joules",  "J",   1,       1000000    },
	{ "C",   "celsius", "Cel", 1,       1          },
	{ "mC",  "celsius", "Cel", 1,       1000       },
	{ "Hz",  "hertz",   "Hz",  1,       1          },
	{ "kHz", "hertz",   "Hz",  1000,    1          },
	{ "MHz", "hertz",   "Hz",  1000000, 1          },
	{ "%",   "percent", "%",   1,       1          },
	{ "",    "",        "1",   1,       1          },
};

struct series_walk_state {
	const struct series_scheme *scheme;
	const struct series_listener *to;
	const struct record *r;
	/* the complete record; differs from .r if that is only a part of the record */
	const struct record *whole;
	const struct series_name *known;	/* current type's entries in the table of names */
	size_t n_known;
	struct line_label base[LINE_LABELS_MAX + 2];	/* labels of all samples */
	size_t n_base;
	struct buf name;	/* name of the current family */
	struct str host;
	struct buf instance;	/* label "instance" of the current family; empty: none */
	bool any;
};

static const struct series_unit *series_unit_of(const char *unit)
{
	size_t i = 0;
	while (i + 1 < ARRAY_SIZE(series_units) &&
	       strcmp(series_units[i].unit, unit) != 0)
		i++;
	return &series_units[i];
}

/* Find the entries of a type in the table of names. They are adjacent. */
static void series_find_names(struct series_walk_state *w, const char *type)
{
	const struct series_scheme *s = w->scheme;
	size_t first = 0;
	while (first < s->n_known && strcmp(s->known[first].type, type) != 0)
		first++;
	w->known = s->known + first;
	w->n_known = 0;
	while (first + w->n_known < s->n_known &&
	       strcmp(w->known[w->n_known].type, type) == 0)
		w->n_known++;
}

/*
 * Set the label "instance": the host, and the port of the exporter that has metrics with such a
 * name.
 */
static void series_put_instance(struct series_walk_state *w, struct str name)
{
	const struct series_scheme *s = w->scheme;
	w->instance.n = 0;
	if (!w->to->scraped || !w->host.n)
		return;
	for (size_t i = 0; i < s->n_ports; i++) {
		if (!str_starts(name, str_of(s->port[i].prefix)))
			continue;
		buf_addf(&w->instance, STR_FMT ":%s", STR_ARG(w->host), s->port[i].port);
		return;
	}
}

/* Begin a family, unless the current family has this name. */
static void series_begin_family(struct series_walk_state *w, struct str name, const char *help,
				const struct series_unit *unit, enum metric_kind kind)
{
	if (w->any && w->name.n == name.n + 1 && memcmp(w->name.p, name.p, name.n) == 0)
		return;
	w->any = true;
	w->name.n = 0;
	buf_add(&w->name, name);
	buf_add_char(&w->name, '\0');
	series_put_instance(w, name);
	w->to->family(w->to->arg, &(struct series_family){ w->name.p, help, unit, kind });
}

/*
 * Insert a label, sorted by name. It replaces a label of the same name, so nodometer's labels win
 * over configured ones.
 */
static size_t series_add_label(struct line_label *to, size_t n, struct line_label label)
{
	size_t at = n;
	while (at && str_cmp(to[at - 1].name, label.name) > 0)
		at--;
	if (at && str_eq(to[at - 1].name, label.name)) {
		to[at - 1] = label;
		return n;
	}
	memmove(to + at + 1, to + at, (n - at) * sizeof(*to));
	to[at] = label;
	return n + 1;
}

static bool series_has_label(const struct line_label *label, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(label[i].name, str_of(name)))
			return true;
	return false;
}

static void series_emit_sample(struct series_walk_state *w, const struct line_label *more,
			       size_t n_more,
			       double value,
			       int64_t since)
{
	struct line_label label[SERIES_LABELS_MAX];
	size_t n = w->n_base;
	memcpy(label, w->base, n * sizeof(*label));
	if (w->instance.n && !series_has_label(label, n, "instance"))
		n = series_add_label(label, n, (struct line_label){ STR("instance"),
								    buf_str(&w->instance) });
	for (size_t i = 0; i < n_more; i++)
		n = series_add_label(label, n, more[i]);
	w->to->sample(w->to->arg, &(struct series_sample){ label, n, value, w->r->usec, since });
}

/* The rules by which the values of one key become series. */
struct series_column {
	const struct record_type *type;
	size_t key;
	const struct series_name *known;	/* entry in the table of names, or NULL */
	double times, per;
	/* name of the label for the device; NULL: emit the sum over all devices */
	const char *device;
	/* index of the control register, which selects the counted event; -1: none */
	int control;
};

/*
 * Return the help text of a series: the text of its key. If several keys share the series, or if
 * its unit differs from the key's, return the text of the type.
 */
static const char *series_help_of(const struct type *type, const struct series_column *c)
{
	const struct series_name *known = c->known;
	const char *key = c->type->key[c->key].name;
	if (!type)
		return xrd_help(c->type->name, key);
	if (known && (known->label || known->per))
		return type->about;
	for (size_t i = 0; i < type->n_metrics; i++)
		if (strcmp(type->metrics[i].name, key) == 0)
			return type->metrics[i].help;
	return "";
}

/*
 * Return the index of the control register of a counter, such as "CTL0" for "CTR0", or -1. See
 * nodometer-raw(5).
 */
static int series_control_of(const struct record_type *type, const char *key)
{
	char name[8] = "CTL";
	if (strncmp(key, "CTR", 3) != 0 || !str_copy(name + 3, sizeof(name) - 3, str_of(key + 3)))
		return -1;
	int at = record_key_find(type, name);
	return at >= 0 && type->key[at].kind == CONTROL ? at : -1;
}

static double series_value_of(const struct series_column *c, const struct record_row *row)
{
	return row_double(row, c->key) * c->times / c->per;
}

/* Split a device such as "mlx5_0.1" at its last dot. Returns false if there is no dot. */
static bool series_split_port(struct str device, struct str *name, struct str *port)
{
	for (size_t i = device.n; i-- > 0; ) {
		if (device.p[i] != '.')
			continue;
		*name = (struct str){ device.p, i };
		*port = str_skip(device, i + 1);
		return true;
	}
	return false;
}

static size_t series_device_labels(const struct series_walk_state *w, const struct series_column *c,
				   struct str device,
				   struct line_label *more)
{
	struct str port, job;
	size_t n = 0;
	if (c->known && c->known->port && series_split_port(device, &device, &port))
		more[n++] = (struct line_label){ str_of(c->known->port), port };
	if (c->device)
		more[n++] = (struct line_label){ str_of(c->device), device };
	if (c->known && c->known->gpu && gpu_job_of(w->whole, device, &job))
		more[n++] = (struct line_label){ str_of(w->scheme->job), job };
	return n;
}

enum { SAMPLE_LABELS_MAX = 5 };

/*
 * Store the labels of a sample in `more`. `control` holds the text of the label "control". Returns
 * the number of labels.
 */
static size_t series_sample_labels(const struct series_walk_state *w, const struct series_column *c,
				   const struct record_row *row,
				   struct buf *control,
				   struct line_label *more)
{
	size_t n = 0;
	if (row && !str_eq(row->device, STR("-")))
		n = series_device_labels(w, c, row->device, more);
	if (c->known && c->known->label)
		more[n++] = (struct line_label){ str_of(c->known->label),
						 str_of(c->known->value) };
	if (row && c->control >= 0 && row_has(row, (size_t)c->control)) {
		control->n = 0;
		buf_addf(control, "0x%" PRIx64, row->value[c->control]);
		more[n++] = (struct line_label){ STR("control"), buf_str(control) };
	}
	return n;
}

/* Emit the sum over all devices, or nothing if a device has no value. */
static void series_emit_sum(struct series_walk_state *w, const struct series_column *c,
			    const struct record_rows *rows)
{
	struct line_label more[SAMPLE_LABELS_MAX];
	double sum = 0;
	for (size_t i = 0; i < rows->n; i++) {
		if (!row_has(&rows->row[i], c->key))
			return;
		sum += series_value_of(c, &rows->row[i]);
	}
	series_emit_sample(w, more, series_sample_labels(w, c, NULL, NULL, more), sum, 0);
}

static void series_emit_row(struct series_walk_state *w, const struct series_column *c,
			    const struct record_row *row, struct buf *control)
{
	struct line_label more[SAMPLE_LABELS_MAX];
	if (row_has(row, c->key))
		series_emit_sample(w, more, series_sample_labels(w, c, row, control, more),
				   series_value_of(c, row), row->since ? row->since[c->key] : 0);
}

/*
 * Return true if the values of this row go into column c. A column without an entry in the table of
 * names gets the rows that no entry applies to.
 */
static bool series_is_for(const struct series_walk_state *w, const struct series_column *c,
			  const struct record_row *row)
{
	if (c->known)
		return !c->known->row || str_eq(row->device, str_of(c->known->row));
	for (size_t i = 0; i < w->n_known; i++)
		if (strcmp(w->known[i].key, c->type->key[c->key].name) == 0 && !w->known[i].also &&
		    (!w->known[i].row || str_eq(row->device, str_of(w->known[i].row))))
			return false;
	return true;
}

static bool series_column_has_value(const struct series_walk_state *w,
				    const struct series_column *c,
				    const struct record_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		if (row_has(&rows->row[i], c->key) && series_is_for(w, c, &rows->row[i]))
			return true;
	return false;
}

/*
 * Emit the values of a key as series. The name is from the column's entry in the table of names or,
 * if it has none, from the scheme's other().
 */
static void series_emit_column(struct series_walk_state *w, struct series_column *c,
			       const struct record_rows *rows)
{
	struct buf name CLEANUP(buf_free) = { 0 }, control CLEANUP(buf_free) = { 0 };
	const struct record_key *key = &rows->type->key[c->key];
	const struct series_unit *unit = series_unit_of(key->unit_name);
	if (!series_column_has_value(w, c, rows))
		return;
	if (c->known)
		buf_add(&name, str_of(c->known->name));
	else
		w->scheme->other(&name, rows->type->name, key, unit->base);
	series_begin_family(w, buf_str(&name),
			    series_help_of(type_find(rows->type->name), c), unit, key->kind);
	if (c->device || (c->known && (c->known->row || rows->n == 1))) {
		for (size_t i = 0; i < rows->n; i++)
			if (series_is_for(w, c, &rows->row[i]))
				series_emit_row(w, c, &rows->row[i], &control);
	} else {
		series_emit_sum(w, c, rows);
	}
}

static void series_emit_key(struct series_walk_state *w, const struct record_rows *rows, size_t k)
{
	const struct record_key *key = &rows->type->key[k];
	const struct series_unit *unit = series_unit_of(key->unit_name);
	struct series_column c = {
		.type = rows->type, .key = k,
		.times = (double)key->scale * unit->times, .per = unit->per,
		.device = strcmp(rows->type->name, "job") == 0 ? w->scheme->job : "device",
		.control = series_control_of(rows->type, key->name),
	};
	series_emit_column(w, &c, rows);
	for (size_t i = 0; i < w->n_known; i++) {
		struct series_column named = c;
		if (strcmp(w->known[i].key, key->name) != 0)
			continue;
		named.known = &w->known[i];
		named.device = named.known->row ? NULL : named.known->device;
		if (named.known->per) {
			named.times = (double)key->scale *
				      (named.known->times ? named.known->times : 1);
			named.per = named.known->per;
		}
		series_emit_column(w, &named, rows);
	}
}

/*
 * Emit a series for each job on the node, so that queries can join jobs with the series of the
 * node.
 */
static void series_emit_jobs(struct series_walk_state *w)
{
	if (!w->r->n_jobs)
		return;
	series_begin_family(w, str_of(w->scheme->owns), "1 while the job runs on the node",
			    series_unit_of(""), GAUGE);
	for (size_t i = 0; i < w->r->n_jobs; i++)
		series_emit_sample(w, &(struct line_label){ str_of(w->scheme->job), w->r->job[i] },
				   1, 1,
				   0);
}

/* Emit a fact from node_facts.c as a series. */
static void series_emit_fact(void *arg, const struct node_fact *f)
{
	struct series_walk_state *w = arg;
	series_begin_family(w, str_of(f->name), f->help, series_unit_of(f->unit), GAUGE);
	series_emit_sample(w, f->label, f->n_labels, f->value, 0);
}

static void series_put_base_labels(struct series_walk_state *w, const struct line_node *node)
{
	for (size_t i = 0; i < node->n_labels && i < LINE_LABELS_MAX; i++)
		w->n_base = series_add_label(w->base, w->n_base, node->label[i]);
	if (node->host.n)
		w->n_base = series_add_label(w->base, w->n_base,
					     (struct line_label){ STR("host"), node->host });
	if (w->to->scraped && w->scheme->port && !series_has_label(w->base, w->n_base, "job"))
		w->n_base = series_add_label(w->base, w->n_base,
					     (struct line_label){ STR("job"), STR("nodometer") });
}

void series_walk(const struct series_scheme *scheme, const struct line_node *node,
		 const struct record *r, const struct series_listener *to)
{
	struct series_walk_state w = { .scheme = scheme, .to = to, .r = r,
				       .whole = node->around ? node->around : r,
				       .host = node->host };
	series_put_base_labels(&w, node);
	series_emit_jobs(&w);
	if (scheme->facts && !node->around)
		node_facts_walk(node, r, series_emit_fact, &w);
	for (size_t i = 0; i < r->n_types; i++) {
		const struct record_rows *rows = &r->rows[i];
		series_find_names(&w, rows->type->name);
		for (size_t k = 0; k < rows->type->n_keys; k++)
			if (rows->type->key[k].kind != CONTROL)
				series_emit_key(&w, rows, k);
		if (scheme->facts && strcmp(rows->type->name, "nvidia_gpu") == 0)
			gpu_facts_walk(rows, w.whole, series_emit_fact, &w);
	}
	buf_free(&w.name);
	buf_free(&w.instance);
}
