/* SPDX-License-Identifier: BSD-3-Clause */
/* series.h - convert a record to time series with names, labels and base units */
#pragma once

#include "formats/line/line.h"

#define SERIES_LABELS_MAX (LINE_LABELS_MAX + 8)

/*
 * An entry in a naming scheme's table: the name of a key. Entries of a type must be adjacent. A key
 * with several entries makes a series for each.
 */
struct series_name {
	const char *type, *key;
	const char *name;
	/* label for the device; NULL: sum over all devices */
	const char *device;
	const char *label, *value;	/* another label, or NULL */
	/* divisor of the values; 0: convert values to the base unit of the key's unit */
	unsigned per;
	unsigned times;	/* factor of the values, only used if .per is not 0; 0 means 1 */
	/*
	 * name of the label for the port, the part of the device after its last dot: "1" of
	 * "mlx5_0.1"; NULL: no such label
	 */
	const char *port;
	/*
	 * the entry applies only to this device, and its series gets no device label; NULL: the
	 * entry applies to all devices
	 */
	const char *row;
	/* emit the key also under the name from other() */
	bool also;
	/* the device is a GPU: add a label with its job, if exactly one job uses the GPU */
	bool gpu;
};

/* The TCP port of the exporter whose metric names start with prefix. */
struct series_port {
	const char *prefix, *port;
};

/* A naming scheme, such as the metric names of Prometheus exporters. */
struct series_scheme {
	const struct series_name *known;
	size_t n_known;
	/* Append the name for a key that is not in the table. unit: base unit of the series. */
	void (*other)(struct buf *name, const char *type, const struct record_key *key,
		      const char *unit);
	/*
	 * .job: name of the label for a job id; .owns: name of the series that lists the jobs on
	 * the node
	 */
	const char *job, *owns;
	/* ports for the label "instance", first match wins; NULL: none */
	const struct series_port *port;
	size_t n_ports;
	/* also emit the series of node_facts.h */
	bool facts;
};
extern const struct series_scheme series_prometheus, series_otlp;

struct series_unit {
	const char *unit;	/* unit as in a schema line (U=), without a leading number */
	const char *base, *ucum;	/* unit names, such as "seconds" and "s" (UCUM) */
	unsigned times, per;	/* a value is multiplied by .times / .per */
};

struct series_family {
	const char *name, *help;	/* .help is "" if there is no text */
	const struct series_unit *unit;
	enum metric_kind kind;		/* COUNTER or GAUGE */
};

struct series_sample {
	const struct line_label *label;	/* labels, sorted by name */
	size_t n_labels;
	double value;
	/*
	 * microseconds since the epoch: .usec: time of the sample; .since: start of the counter, 0
	 * if unknown
	 */
	int64_t usec, since;
};

struct series_listener {
	void (*family)(void *arg, const struct series_family *f);
	void (*sample)(void *arg, const struct series_sample *s);
	void *arg;
	/*
	 * add the labels "instance" and "job", as if the receiver had scraped an exporter, unless
	 * labels of these names are configured
	 */
	bool scraped;
};

/*
 * Call the listener for all values of a record, as series. The value of a counter's control
 * register becomes the label "control".
 */
void series_walk(const struct series_scheme *scheme, const struct line_node *node,
		 const struct record *r, const struct series_listener *to);
