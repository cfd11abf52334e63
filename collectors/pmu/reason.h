/* SPDX-License-Identifier: BSD-3-Clause */
/* reason.h - explain to an administrator why counters are missing */
#pragma once

#include "collectors/pmu/group.h"

#define PMU_CAPTURED "captured tree: counters cannot be opened"

/*
 * Explain why opening a group failed; error is the -errno. counters is the number of counters of
 * all groups. Returns -ENOENT.
 */
int pmu_refused(struct source *s, const struct pmu_group *g, size_t counters, int error);

/* Explain why none of the open groups ran since the last sample. Returns -ENOENT. */
int pmu_never_ran(struct source *s, const struct pmu_plan *p);

/*
 * Explain that the type is for other processors. mine is the name of the table for this processor,
 * or NULL if there is none. Returns -ENOENT.
 */
int pmu_not_this_processor(struct source *s, const struct pmu_plan *p, const char *mine);
