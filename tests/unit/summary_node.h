/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_node.h - a node whose samples are written by tests, and its job summaries */
#pragma once

#include <stdlib.h>
#include <string.h>
#include "recorder/live.h"
#include "recorder/job_summary.h"

/* A sampler that reads no files: tests fill its samples. */
struct node {
	struct sampler sampler;
	struct files root;
	struct live live;
	struct job_summaries summary;
	struct factors factors;		/* the site's cost factors of energy; none is set */
	int64_t now_ns, seconds;	/* time of the newest sample; seconds between samples */
	struct buf line;
};

static inline void node_open(struct node *n)
{
	*n = (struct node){ .root = { .rootfd = -1 }, .seconds = 60 };
	n->sampler.type = xrealloc(NULL, n_collectors * sizeof(*n->sampler.type));
	n->sampler.n = n_collectors;
	n->sampler.collected = xrealloc(NULL, n_collectors * sizeof(struct type_state *));
	n->sampler.n = n->sampler.n_collected = n_collectors;
	for (size_t i = 0; i < n_collectors; i++) {
		n->sampler.collected[i] = &n->sampler.type[i];
		n->sampler.type[i] = (struct type_state){ .c = collectors[i], .active = true };
		source_init(&n->sampler.type[i].source, &n->root, types[i]->metrics,
			    types[i]->n_metrics);
	}
}

static inline void node_free(struct node *n)
{
	for (size_t i = 0; i < n_collectors; i++) {
		source_free(&n->sampler.type[i].source);
		buf_free(&n->sampler.type[i].below);
	}
	free(n->sampler.type);
	free(n->sampler.collected);
	live_free(&n->live);
	job_summary_free(&n->summary);
	buf_free(&n->sampler.restarts);
	buf_free(&n->line);
}

static inline size_t type_of(const char *name)
{
	size_t i = 0;
	while (i < n_collectors && strcmp(types[i]->name, name) != 0)
		i++;
	assert_true(i < n_collectors);
	return i;
}

static inline size_t key_of(size_t type, const char *name)
{
	size_t i = 0;
	while (i < types[type]->n_metrics &&
	       strcmp(types[type]->metrics[i].name, name) != 0)
		i++;
	assert_true(i < types[type]->n_metrics);
	return i;
}

/* Add a row for the device, with one value. */
static inline void put(struct node *n, const char *type, const char *device, const char *key,
		       uint64_t v)
{
	size_t t = type_of(type);
	row_set(rows_add(&n->sampler.type[t].source.rows, str_of(device)), key_of(t, key), v);
}

static inline void take(struct node *n)
{
	n->now_ns += n->seconds * 1000000000ll;
	live_fill(&n->live, &n->sampler, n->now_ns / 1000, STR(""), STR(""));
	job_summary_take(&n->summary, &(struct jobs){ 0 }, &n->live.record, n->now_ns);
	n->sampler.restarts.n = 0;
	for (size_t i = 0; i < n_collectors; i++)
		source_clear(&n->sampler.type[i].source);
}

static inline void begin(struct node *n, const char *id)
{
	job_summary_begin(&n->summary, str_of(id), 1000000);
	take(n);
}

static inline void end(struct node *n, const char *id)
{
	job_summary_end(&n->summary, str_of(id));
	take(n);
}

static inline void assert_line(struct node *n, const char *id, const char *want)
{
	n->line.n = 0;
	job_summary_put(&n->summary, str_of(id), "n1", 61500000, &n->factors, &n->line);
	assert_true(n->line.n < SUMMARY_MAX);
	if (!str_eq(buf_str(&n->line), str_of(want)))
		fail_msg("want %s, got " STR_FMT, want, STR_ARG(buf_str(&n->line)));
}

#define HEAD(job) "{\"job\":\"" job "\",\"host\":\"n1\",\"end\":61,\"elapsed_s\":60.5"
#define WHOLE     ",\"complete\":true,\"schema\":1"
#define LACKS     ",\"complete\":false,\"schema\":1"
