/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - list the groups of counters of a type on this node */
#pragma once

#include "collectors/pmu/group.h"

/*
 * Add a closed group for each device of the type on this node; s->data is the struct type. The
 * processor is identified at the first call; CPUs and PMUs are looked up at each call. s->rescan
 * must be set. Returns 0, or -ENOENT with the reason in s->why.
 */
int pmu_make_plan(struct source *s, struct pmu_plan *p) MUST_CHECK;
/* Add groups for the devices of one unit. Returns 0 or -ENOENT like pmu_make_plan(). */
int pmu_plan_unit(struct source *s, struct pmu_plan *p, const struct pmu_unit *u) MUST_CHECK;
