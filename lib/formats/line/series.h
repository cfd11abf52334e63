/* SPDX-License-Identifier: BSD-3-Clause */
/* series.h - a record as time series: a name, labels and a value in a base unit for each value */
#pragma once

#include "formats/line/line.h"

#define SERIES_LABELS_MAX (LINE_LABELS_MAX + 4)

/* The name of a key in a scheme. Rows of one type stand together in its table. */
struct series_name {
	const char *type, *key;
	const char *name;
	const char *device;	/* the label that has the device; NULL: the sum of all */
	const char *label, *value;	/* another label */
	unsigned per;		/* the value is divided by this; 0: as the key's unit wants */
};

/* The scheme of names that a receiver's users know. */
struct series_scheme {
	const struct series_name *known;
	size_t n_known;
	/* Names what is not in the table: .unit is that of the result. */
	void (*other)(struct buf *name, const char *type, const struct record_key *key,
		      const char *unit);
	const char *job, *owns;	/* the label of a job id; the series that says who owns the node */
};
extern const struct series_scheme series_prometheus, series_otlp;

struct series_unit {
	const char *unit;		/* as the schema's U=, without a number before it */
	const char *base, *ucum;	/* "seconds", "s" */
	unsigned times, per;		/* to the base unit */
};

struct series_family {
	const char *name, *help;	/* help: "" where it is not known */
	const struct series_unit *unit;
	enum metric_kind kind;		/* COUNTER or GAUGE */
};

struct series_sample {
	const struct line_label *label;	/* by name, in byte order */
	size_t n_labels;
	double value;
	int64_t usec, since;		/* since: microseconds, 0: not known */
};

struct series_listener {
	void (*family)(void *arg, const struct series_family *f);
	void (*sample)(void *arg, const struct series_sample *s);
	void *arg;
};

/* All values; those of control registers are label "control" of what they have counted. */
void series_walk(const struct series_scheme *scheme, const struct line_node *node,
		 const struct record *r, const struct series_listener *to);
