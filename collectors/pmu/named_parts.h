/* SPDX-License-Identifier: BSD-3-Clause */
/* named_parts.h - what the files of counters by name share */
#pragma once

#include "collectors/pmu/libpfm.h"
#include "collectors/pmu/named.h"

#define NAMED_WRONG_MAX 400

/* The i-th event of the type's unit. */
static inline struct pmu_event *named_event_at(struct named_type *t, size_t i)
{
	return i < PMU_EVENTS ? &t->unit.event[i] : &t->unit.fixed[i - PMU_EVENTS];
}

/* The kernel's name, below the root of s, of libpfm4's PMU: "uncore_imc" for skx_unc_imc. */
void named_kernel_pmu(struct source *s, const struct libpfm_answer *a, char *to, size_t size);

/*
 * Asks the kernel for aliases, whether all events count on the same devices, and how many of them
 * it takes into a group. 0; -ENOENT: a PMU is not here, but may come with a module, and s->why says
 * which; -EINVAL: wrong for good, and why has it.
 */
int named_check(struct source *s, struct named_type *t, char why[NAMED_WRONG_MAX]) MUST_CHECK;
