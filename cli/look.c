/* SPDX-License-Identifier: BSD-3-Clause */
/* look.c - one sample of this node, to see what there is */
#include "cli/look.h"

#include <stdio.h>
#include <string.h>
#include "base/log.h"

/* Keeps a look at the node from opening counters that jobs have. */
static void hold_off_released(struct sampler *s, const struct config *c)
{
	struct jobs jobs CLEANUP(jobs_free) = { 0 };
	char path[CONFIG_TEXT_MAX + 8];
	snprintf(path, sizeof(path), "%s/jobs", c->runtime_dir);
	if (jobs_load(&jobs, path) == 0)
		counters_choose(s, &jobs, false);
}

int look_at_node(struct sampler *s, const struct config *c)
{
	int r = sampler_init(s, c->root, c->use, c->deadline_us * 1000);
	if (r < 0) {
		log_error("%s: %s", c->root, strerror(-r));
		return r;
	}
	sampler_add_named(s, &c->named);
	hold_off_released(s, c);
	sampler_collect(s);
	return 0;
}

const struct type_state *look_find(const struct sampler *s, const char *type)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->type[i].c->type->name, type) == 0)
			return &s->type[i];
	return NULL;
}
