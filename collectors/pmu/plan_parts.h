/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_parts.h - what the files of a plan share */
#pragma once

#include "collectors/pmu/group.h"

/* A group as all devices of one PMU have it. 0, or -ENOENT and s->why. */
int plan_make_group(struct source *s, const struct pmu_unit *u, const char *pmu, uint32_t type,
		    struct pmu_group *g) MUST_CHECK;
struct pmu_group *plan_add_group(struct pmu_plan *p, const struct pmu_group *like, unsigned cpu);

/* A group for each box of a unit and each package. 0, or -ENOENT and s->why. */
int plan_add_boxes(struct source *s, struct pmu_plan *p, const struct pmu_unit *u) MUST_CHECK;
