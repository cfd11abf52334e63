/* SPDX-License-Identifier: BSD-3-Clause */
/* mapper_fill.h - what the two files that make data blocks share */
#pragma once

#include "monitor/mapper.h"

static inline bool mapper_wants(const struct mapper *m, size_t class)
{
	return m->wanted >> class & 1;
}

/* The items of a block that were read. */
void mapper_items(struct mapper *m, struct vms_set *s, size_t block, struct element *e);
uint64_t mapper_number(struct str name);	/* the first in a name; 0: there is none */

/* Counts states, and fills the set where PROCESSES is wanted; those that ended are dropped. */
void mapper_processes(struct mapper *m, struct elements *l, uint64_t cpus, struct vms_set *s);
void mapper_states(struct mapper *m, struct vms_set *s);
void mapper_system(struct mapper *m, const struct elements *cpus, struct vms_set *s);
