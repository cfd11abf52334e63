/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - which counters a type needs on this node: one group per device */
#pragma once

#include "collectors/pmu/group.h"

/*
 * Adds a group for each device of the type that this node has, none of them open. The processor is
 * looked at once, CPUs and PMUs every time. 0, or -ENOENT with the reason in s->why.
 */
int pmu_make_plan(struct source *s, struct pmu_plan *p) MUST_CHECK;
/* The same for each device of a unit. */
int pmu_plan_unit(struct source *s, struct pmu_plan *p, const struct pmu_unit *u) MUST_CHECK;
