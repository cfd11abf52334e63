/* SPDX-License-Identifier: BSD-3-Clause */
/* series.h - turn a record into time series: each value gets a name, labels and a base unit */
#pragma once

#include "formats/line/line.h"

#define SERIES_LABELS_MAX (LINE_LABELS_MAX + 8)

/*
 * The name of a key in a scheme. All entries of a type are adjacent in the table. A key with
 * several entries becomes several series.
 */
struct series_name {
	const char *type, *key;
	const char *name;
	/* label that holds the device; NULL: the series is the sum over all devices */
	const char *device;
	const char *label, *value;	/* name and value of an additional label, or NULL */
	unsigned per;	/* divisor of the value; 0: convert to the base unit of the key's unit */
	unsigned times;	/* factor of the value, used only if .per is set; 0 means 1 */
	/* label for the part of the device after its last dot: "1" of "mlx5_0.1"; or NULL */
	const char *port;
	/*
	 * the entry applies only to this device, and its series get no device label; NULL: the
	 * entry applies to all devices
	 */
	const char *row;
	/* also emit the key under the name that it would have without an entry */
	bool also;
	/* the device is a GPU: if exactly one job uses the GPU, add a label with this job */
	bool gpu;
};

/* The port at which an exporter offers the names that start with prefix. */
struct series_port {
	const char *prefix, *port;
};

/* A naming scheme that users of a receiver know. */
struct series_scheme {
	const struct series_name *known;
	size_t n_known;
	/* Append a name for a key that is not in the table. unit: base unit of the series. */
	void (*other)(struct buf *name, const char *type, const struct record_key *key,
		      const char *unit);
	/*
	 * .job: name of the label for a job id; .owns: name of the series that tells which jobs run
	 * on the node
	 */
	const char *job, *owns;
	/* ports for the label "instance", in order of preference; NULL: the scheme has none */
	const struct series_port *port;
	size_t n_ports;
	/* emit series about the node that do not come from a key, see node_facts.h */
	bool facts;
};
extern const struct series_scheme series_prometheus, series_otlp;

struct series_unit {
	const char *unit;		/* unit in the schema (U=), without a leading number */
	const char *base, *ucum;	/* unit names, such as "seconds" and "s" (UCUM) */
	unsigned times, per;	/* factor and divisor that convert a value to the base unit */
};

struct series_family {
	const char *name, *help;	/* .help is "" if there is no text */
	const struct series_unit *unit;
	enum metric_kind kind;		/* COUNTER or GAUGE */
};

struct series_sample {
	const struct line_label *label;	/* labels in byte order of their names */
	size_t n_labels;
	double value;
	/* microseconds: time of the sample, and start of the counter (0: unknown) */
	int64_t usec, since;
};

struct series_listener {
	void (*family)(void *arg, const struct series_family *f);
	void (*sample)(void *arg, const struct series_sample *s);
	void *arg;
	/*
	 * add the labels "instance" and "job" as if the receiver had scraped an exporter, unless
	 * labels of these names are configured
	 */
	bool scraped;
};

/*
 * Emit all values of a record as series. A control register's value becomes the label "control" of
 * its counter's series.
 */
void series_walk(const struct series_scheme *scheme, const struct line_node *node,
		 const struct record *r, const struct series_listener *to);
