/* SPDX-License-Identifier: BSD-3-Clause */
/* reason.h - why counters are not there, in an administrator's words */
#pragma once

#include "collectors/pmu/group.h"

#define PMU_CAPTURED "captured tree: counters cannot be opened"

/* Opening a group failed with -errno; how many counters there were to be in all. -ENOENT. */
int pmu_refused(struct source *s, const struct pmu_group *g, size_t counters, int error);

/* Groups are open, and none of them ran since the last sample. -ENOENT. */
int pmu_never_ran(struct source *s, const struct pmu_plan *p);

/* The type is of other processors; mine is the name of this one's table, or NULL. -ENOENT. */
int pmu_not_this_processor(struct source *s, const struct pmu_plan *p, const char *mine);
