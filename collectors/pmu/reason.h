/* SPDX-License-Identifier: BSD-3-Clause */
/* reason.h - explain why counters are missing */
#pragma once

#include "collectors/pmu/group.h"

#define PMU_CAPTURED "captured tree: counters cannot be opened"

/*
 * Explain in s->why that a group failed to open with this -errno. counters is the number of
 * counters in all groups of the type. Returns -ENOENT.
 */
int pmu_refused(struct source *s, const struct pmu_group *g, size_t counters, int error);

/* Explain in s->why that no group has run since the last sample. Returns -ENOENT. */
int pmu_never_ran(struct source *s, const struct pmu_plan *p);

/*
 * Explain in s->why that the type is for other processors. mine is the display name of this
 * processor, or NULL if it has no table. Returns -ENOENT.
 */
int pmu_not_this_processor(struct source *s, const struct pmu_plan *p, const char *mine);
