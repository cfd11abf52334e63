/* SPDX-License-Identifier: BSD-3-Clause */
/* series.c - turn a record into time series: each value gets a name, labels and a base unit */
#include "formats/line/series.h"

#include <inttypes.h>
#include "schema/type.h"

/* Units with their names in Prometheus and in UCUM, which OpenTelemetry uses. */
static const struct series_unit series_units[] = {
	{ "B",   "bytes",   "By",  1,       1          },
	{ "KB",  "bytes",   "By",  1024,    1          },
	{ "kB",  "bytes",   "By",  1024,    1          },
	{ "MB",  "bytes",   "By",  1048576, 1          },
	{ "cs",  "seconds", "s",   1,       100        },
	{ "ms",  "seconds", "s",   1,       1000       },
	{ "us",  "seconds", "s",   1,       1000000    },
	{ "ns",  "seconds", "s",   1,       1000000000 },
	{ "W",   "watts",   "W",   1,       1          },
	{ "mW",  "watts",   "W",   1,       1000       },
	{ "uW",  "watts",   "W",   1,       1000000    },
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
	const struct series_name *known;	/* names of the current type */
	size_t n_known;
	struct line_label base[LINE_LABELS_MAX + 1];	/* labels of all samples */
	size_t n_base;
	struct buf name;	/* name of the current family */
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

/*
 * Return the help text of a series. If several keys share the series' name, or its unit differs
 * from the key's, the text of the type is used.
 */
static const char *series_help_of(const struct type *type, const char *key,
				  const struct series_name *known)
{
	if (type && known && (known->label || known->per))
		return type->about;
	for (size_t i = 0; type && i < type->n_metrics; i++)
		if (strcmp(type->metrics[i].name, key) == 0)
			return type->metrics[i].help;
	return "";
}

/* Find the names of a type. They are adjacent in the table. */
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

static const struct series_name *series_name_of(const struct series_walk_state *w, const char *key)
{
	for (size_t i = 0; i < w->n_known; i++)
		if (strcmp(w->known[i].key, key) == 0)
			return &w->known[i];
	return NULL;
}

/* Begin a family, unless the last one has the same name. */
static void series_begin_family(struct series_walk_state *w, struct str name, const char *help,
				const struct series_unit *unit, enum metric_kind kind)
{
	if (w->any && w->name.n == name.n + 1 && memcmp(w->name.p, name.p, name.n) == 0)
		return;
	w->any = true;
	w->name.n = 0;
	buf_add(&w->name, name);
	buf_add_char(&w->name, '\0');
	w->to->family(w->to->arg, &(struct series_family){ w->name.p, help, unit, kind });
}

/*
 * Insert a label in order of names. It replaces a label of the same name, so nodometer's labels win
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

static void series_emit_sample(struct series_walk_state *w, const struct line_label *more,
			       size_t n_more,
			       double value,
			       int64_t since)
{
	struct line_label label[SERIES_LABELS_MAX];
	size_t n = w->n_base;
	memcpy(label, w->base, n * sizeof(*label));
	for (size_t i = 0; i < n_more; i++)
		n = series_add_label(label, n, more[i]);
	w->to->sample(w->to->arg, &(struct series_sample){ label, n, value, w->r->usec, since });
}

/* How a key becomes series. */
struct series_column {
	const struct record_type *type;
	size_t key;
	const struct series_name *known;	/* name in the scheme, or NULL */
	double times, per;
	/* label that holds the device; NULL: the series is the sum over all devices */
	const char *device;
	/* index of the key that says what is counted; -1: none, because the key's name says it */
	int control;
};

/*
 * Return the index of the control register of a counter, "CTL0" for "CTR0" (see nodometer-raw(5)),
 * or -1.
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

/* Add the labels of one sample to `more`. Their texts borrow from `control`. */
static size_t series_sample_labels(const struct series_column *c, const struct record_row *row,
				   struct buf *control,
				   struct line_label *more)
{
	struct str device = row ? row->device : STR("-");
	size_t n = 0;
	if (c->device && !str_eq(device, STR("-")))
		more[n++] = (struct line_label){ str_of(c->device), device };
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
	struct line_label more[2];
	double sum = 0;
	for (size_t i = 0; i < rows->n; i++) {
		if (!row_has(&rows->row[i], c->key))
			return;
		sum += series_value_of(c, &rows->row[i]);
	}
	series_emit_sample(w, more, series_sample_labels(c, NULL, NULL, more), sum, 0);
}

static void series_emit_rows(struct series_walk_state *w, const struct series_column *c,
			     const struct record_rows *rows)
{
	struct buf control CLEANUP(buf_free) = { 0 };
	struct line_label more[3];
	for (size_t i = 0; i < rows->n; i++) {
		const struct record_row *row = &rows->row[i];
		if (row_has(row, c->key))
			series_emit_sample(w, more, series_sample_labels(c, row, &control, more),
					   series_value_of(c, row),
					   row->since ? row->since[c->key] : 0);
	}
}

static bool series_key_has_value(const struct record_rows *rows, size_t key)
{
	for (size_t i = 0; i < rows->n; i++)
		if (row_has(&rows->row[i], key))
			return true;
	return false;
}

static void series_emit_key(struct series_walk_state *w, const struct type *type,
			    const struct record_rows *rows,
			    size_t k)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	const struct record_key *key = &rows->type->key[k];
	const struct series_unit *unit = series_unit_of(key->unit_name);
	struct series_column c = {
		.type = rows->type, .key = k,
		.known = series_name_of(w, key->name),
		.times = (double)key->scale * unit->times, .per = unit->per,
		.device = strcmp(rows->type->name, "job") == 0 ? w->scheme->job : "device",
		.control = series_control_of(rows->type, key->name),
	};
	if (c.known) {
		c.device = c.known->device;
		buf_add(&name, str_of(c.known->name));
		if (c.known->per) {
			c.times = key->scale;
			c.per = c.known->per;
		}
	} else {
		w->scheme->other(&name, rows->type->name, key, unit->base);
	}
	series_begin_family(w, buf_str(&name), series_help_of(type, key->name, c.known), unit,
			    key->kind);
	if (c.device || (c.known && rows->n == 1))
		series_emit_rows(w, &c, rows);
	else
		series_emit_sum(w, &c, rows);
}

/* Emit a series for each job that runs on the node, to attribute the node's values to jobs. */
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

void series_walk(const struct series_scheme *scheme, const struct line_node *node,
		 const struct record *r, const struct series_listener *to)
{
	struct series_walk_state w = { .scheme = scheme, .to = to, .r = r };
	for (size_t i = 0; i < node->n_labels && i < LINE_LABELS_MAX; i++)
		w.n_base = series_add_label(w.base, w.n_base, node->label[i]);
	if (node->host.n)
		w.n_base = series_add_label(w.base, w.n_base,
					    (struct line_label){ STR("host"), node->host });
	series_emit_jobs(&w);
	for (size_t i = 0; i < r->n_types; i++) {
		const struct record_rows *rows = &r->rows[i];
		const struct type *type = type_find(rows->type->name);
		series_find_names(&w, rows->type->name);
		for (size_t k = 0; k < rows->type->n_keys; k++)
			if (rows->type->key[k].kind != CONTROL && series_key_has_value(rows, k))
				series_emit_key(&w, type, rows, k);
	}
	buf_free(&w.name);
}
