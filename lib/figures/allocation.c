/* SPDX-License-Identifier: BSD-3-Clause */
/* allocation.c - a job's allocation on a node, from the attributes of the job's marks */
#include "figures/allocation.h"

#include <errno.h>
#include <string.h>
#include "figures/job.h"

static void allocation_take_number(const struct record *r, struct str job, struct str key,
				   uint64_t *to)
{
	struct str value;
	uint64_t n;
	if (job_attribute(r, job, key, &value) && str_take_u64(&value, &n) && value.n == 0)
		*to = n;
}

int gpu_list(struct str text, bool has[GPUS_MAX])
{
	memset(has, 0, GPUS_MAX * sizeof(*has));
	do {
		uint64_t first, last;
		if (str_peek(text) == ' ' || !str_take_u64(&text, &first))
			return -EINVAL;
		last = first;
		if (str_take_prefix(&text, STR("-")) &&
		    (str_peek(text) == ' ' || !str_take_u64(&text, &last)))
			return -EINVAL;
		if (first > last || last >= GPUS_MAX)
			return -EINVAL;
		for (; first <= last; first++)
			has[first] = true;
	} while (str_take_prefix(&text, STR(",")));
	return text.n == 0 ? 0 : -EINVAL;
}

static uint64_t allocation_count_gpus(struct str list)
{
	bool has[GPUS_MAX];
	uint64_t n = 0;

	if (gpu_list(list, has) < 0)
		return 0;
	for (size_t i = 0; i < GPUS_MAX; i++)
		n += has[i];
	return n;
}

void allocation_take(struct allocation *a, const struct record *r, struct str job)
{
	struct str gpus;

	if (r->n_marks == 0)
		return;
	job_attribute_text(r, job, STR("name"), a->name, sizeof(a->name));
	job_attribute_text(r, job, STR("account"), a->account, sizeof(a->account));
	job_attribute_text(r, job, STR("queue"), a->partition, sizeof(a->partition));
	job_attribute_text(r, job, STR("partition"), a->partition, sizeof(a->partition));
	job_attribute_text(r, job, STR("exit"), a->exit, sizeof(a->exit));
	job_attribute_text(r, job, STR("state"), a->state, sizeof(a->state));
	allocation_take_number(r, job, STR("uid"), &a->uid);
	allocation_take_number(r, job, STR("cpus"), &a->cpus);
	allocation_take_number(r, job, STR("mem"), &a->mem);
	allocation_take_number(r, job, STR("limit"), &a->limit);
	if (job_attribute(r, job, STR("gpus"), &gpus)) {
		a->gpus = allocation_count_gpus(gpus);
		a->gpus_known = a->gpus > 0;
	}
}

static void allocation_fill_text(char *to, const char *from, size_t n)
{
	if (!to[0])
		str_copy(to, n, str_of(from));
}

void allocation_add(struct allocation *to, const struct allocation *from)
{
	allocation_fill_text(to->name, from->name, sizeof(to->name));
	allocation_fill_text(to->account, from->account, sizeof(to->account));
	allocation_fill_text(to->partition, from->partition, sizeof(to->partition));
	allocation_fill_text(to->exit, from->exit, sizeof(to->exit));
	allocation_fill_text(to->state, from->state, sizeof(to->state));
	to->uid = to->uid ? to->uid : from->uid;
	to->cpus = to->cpus ? to->cpus : from->cpus;
	to->mem = to->mem ? to->mem : from->mem;
	to->limit = to->limit ? to->limit : from->limit;
	if (!to->gpus_known) {
		to->gpus = from->gpus;
		to->gpus_known = from->gpus_known;
	}
}
