/* SPDX-License-Identifier: BSD-3-Clause */
/* node_facts.c - series of node_exporter and jobstats that are not values of a record */
#include "formats/line/node_facts.h"

#include <string.h>

static void emit_uname(const struct line_node *node, struct str text, node_fact_listener emit,
		       void *arg)
{
	struct str system, machine, release;
	if (!str_take_word(&text, &system) || !str_take_word(&text, &machine) ||
	    !str_take_word(&text, &release))
		return;
	emit(arg, &(struct node_fact){
		"node_uname_info", "kernel of the node", "",
		{ { STR("machine"), machine }, { STR("nodename"), node->host },
		  { STR("release"), release }, { STR("sysname"), system },
		  { STR("version"), str_trim(text) } }, 5, 1 });
}

void node_facts_walk(const struct line_node *node, const struct record *r,
		     node_fact_listener emit, void *arg)
{
	emit(arg, &(struct node_fact){ .name = "node_time_seconds", .help = "time of the sample",
				       .unit = "us", .value = (double)r->usec / 1e6 });
	if (node->whole && node->whole->from)
		emit_uname(node, record_property(node->whole->from, "uname"), emit, arg);
}

static const struct record_rows *node_facts_rows(const struct record *r, const char *type)
{
	for (size_t i = 0; i < r->n_types; i++)
		if (strcmp(r->rows[i].type->name, type) == 0)
			return &r->rows[i];
	return NULL;
}

/*
 * Get the job from a device of type gpu_job, such as "nvidia/0@77" or "nvidia/0/5/2@77". Returns
 * false if the device is for another GPU or has no job.
 */
static bool take_gpu_job(struct str device, struct str gpu, struct str *job)
{
	struct str part;
	if (!str_starts(device, STR("nvidia/")))
		return false;
	device = str_skip(device, strlen("nvidia/"));
	if (!str_take_until(&device, '@', &part) || str_eq(device, STR("-")) ||
	    !str_starts(part, gpu) || (part.n > gpu.n && part.p[gpu.n] != '/'))
		return false;
	*job = device;
	return true;
}

bool gpu_job_of(const struct record *r, struct str gpu, struct str *job)
{
	const struct record_rows *owners = node_facts_rows(r, "gpu_job");
	struct str found;
	job->n = 0;
	if (!owners) {
		*job = r->n_jobs == 1 ? r->job[0] : *job;
		return r->n_jobs == 1;
	}
	for (size_t i = 0; i < owners->n; i++) {
		if (!take_gpu_job(owners->row[i].device, gpu, &found))
			continue;
		if (job->n && !str_eq(found, *job))
			return false;
		*job = found;
	}
	return job->n > 0;
}

void gpu_facts_walk(const struct record_rows *rows, const struct record *r,
		    node_fact_listener emit, void *arg)
{
	for (size_t i = 0; i < rows->n; i++) {
		struct str job, gpu = rows->row[i].device;
		uint64_t id;
		if (!gpu_job_of(r, gpu, &job))
			continue;
		struct str digits = job;
		if (!str_take_u64(&digits, &id) || digits.n)
			continue;
		emit(arg, &(struct node_fact){
			"nvidia_gpu_jobId", "the job that has the GPU", "",
			{ { STR("jobid"), job }, { STR("minor_number"), gpu } }, 2, (double)id });
	}
}
