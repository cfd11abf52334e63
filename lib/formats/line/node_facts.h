/* SPDX-License-Identifier: BSD-3-Clause */
/* node_facts.h - series of node_exporter and jobstats that are not values of a record */
#pragma once

#include "formats/line/line.h"

enum { NODE_FACT_LABELS_MAX = 6 };

struct node_fact {
	const char *name, *help;
	const char *unit;	/* unit, as in a schema line */
	struct line_label label[NODE_FACT_LABELS_MAX];
	size_t n_labels;
	double value;		/* value in the base unit of .unit, such as seconds for "us" */
};
typedef void (*node_fact_listener)(void *arg, const struct node_fact *f);

/* Call emit() for the time of the record and, if known, for the kernel release. */
void node_facts_walk(const struct line_node *node, const struct record *r,
		     node_fact_listener emit, void *arg);

/*
 * For each NVIDIA GPU in rows that exactly one job uses, call emit() with the job's id as the
 * value, if the id is a number.
 */
void gpu_facts_walk(const struct record_rows *rows, const struct record *r,
		    node_fact_listener emit, void *arg);

/*
 * Find the job that uses an NVIDIA GPU: the only job with processes on the GPU or, if the record
 * lacks type gpu_job, the only job on the node. Returns false unless exactly one job uses the GPU.
 */
bool gpu_job_of(const struct record *r, struct str gpu, struct str *job);
